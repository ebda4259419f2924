// Shared by the commands that ask an index about a point of a trace (command.asks_index): options,
// the point, and how errors in what was typed are reported. Functions that return false have
// reported why.
#ifndef TRAWL_CMD_QUERY_H
#define TRAWL_CMD_QUERY_H

#include "cli/diag.h"
#include "cmd/command.h"
#include "query/point.h"
#include "session/session_index.h"
#include "session/view_filter.h"

// --- query.c -------------------------------------------------------------------------------------

// How the trace is read and named, and how the command runs.
extern const struct option_spec query_trace_options[];
extern const struct option_spec query_index_options[]; // which index, and how the trace is read
extern const struct option_spec query_run_options[];   // after them

// The groups of most of these commands: `own` options, and all of the above.
#define QUERY_OPTION_GROUPS(own)                                                                   \
    (const struct option_group[])                                                                  \
    {                                                                                              \
        {"options", own}, {"names", query_trace_options},                                          \
            {"the trace in several files", files_options}, {"how to run", query_index_options},    \
            {NULL, query_run_options},                                                             \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

// Only the trace, as positional.
extern const struct positional_spec query_positional[];

// For commands whose output is not a table: whether it was not requested as CSV.
bool query_refuse_csv(const struct command *command, struct options_parser *parser);

// Opens the index, and finds lane and point; with --only-index, only opens it.
bool query_open(struct command *command);

// The event of a position as typed for `option`.
bool query_point(struct command *command, const char *option, const char *text, uint64_t *event);

// The register or memory that was typed, with the names of registers after event `at` of a lane.
bool query_location(struct command *command, const char *text, const struct trawl_event *at,
                    struct location *location);

// The same for an option --memory; a register, or more than LIMIT_QUERY_MEMORY_BYTES, is a misuse.
bool query_memory(struct command *command, const char *text, const struct trawl_event *at,
                  struct location *location);

// The address of such memory, or the value of an expression, with the registers of a lane.
bool query_address(struct command *command, const char *text, const struct location *location,
                   uint64_t lane, uint64_t event, uint64_t *address);
bool query_value(struct command *command, const char *text, const struct trawl_event *at,
                 uint64_t lane, uint64_t event, uint64_t *value);

// The condition that was typed for `option`, with the registers of the instruction set that the
// trace uses; `takes_events`: it may say changed() and written().
// `function`: the one whose variables it knows by their bare names; NULL: none.
bool query_condition(struct command *command, const char *option, const char *text,
                     bool takes_events, const char *function, struct expression *condition);

// Reports what is wrong with something typed for `option` ("": a positional); err->offset is the
// place in it. Returns false.
bool query_text_fail(struct command *command, const char *option, const char *text,
                     const struct error *err);

// The lane whose registers are meant in addresses: --lane, otherwise that of the point, otherwise
// the first. `about` gets its last event at the point.
enum status query_lane(struct command *command, uint64_t event, uint64_t *lane,
                       struct trawl_event *about, struct error *err);

// The lane of a report about one lane, which `option` needs: --lane, or the only one.
enum status query_one_lane(struct command *command, const char *option, uint64_t *lane,
                           struct error *err);

// The view that is queried, with its index.
static inline const struct index_view *query_view(const struct command *command)
{
    return &command->session.view;
}

// The unit of times in its index: "ns", "ticks".
static inline const char *query_tick_unit(const struct command *command)
{
    return index_tick_unit(&query_view(command)->info);
}

// Whether an event is in the range of --time and --lane-events (session_takes_event).
static inline bool query_wants_event(const struct command *command, const struct trawl_event *about)
{
    return session_takes_event(&command->session, about);
}

// NULL: the trace has no names.
const char *query_lane_name(const struct command *command, uint64_t lane);

// The name of an address, NULL without one.
const char *query_name(struct command *command, uint64_t pc);

// The instruction set ("A64"); NULL without an instruction.
const char *query_isa_name(const struct command *command, const struct trawl_event *about);

// "executed", "skipped", "exception"; NULL without an instruction.
const char *query_outcome(const struct trawl_event *about);

// Writes members of a JSON object that say how much of the trace the answer covers, if not all;
// or a line of text.
void query_put_covered_json(const struct command *command, struct json *json);
void query_put_covered(const struct command *command, struct out *out);

// Sums up what is missing from the index; returns the status to end with.
enum exit_status query_sum_up(struct command *command);

// Whether any event of the selected lanes is in the range of --time and --lane-events, which counts
// events of each core.
bool query_has_range(struct command *command);

// --- Addresses without 0x ------------------------------------------------------------------------

// Addresses typed without 0x: they are decimal, but may have been meant as hexadecimal.

// Reads `text`, which must only have decimal digits, as a hexadecimal address, without Thumb bit.
// False: other characters, or too large.
bool other_base_address(const char *text, uint64_t *address);

// Reports that `text` was read as the decimal `address`, which is not executed, while the
// hexadecimal one is.
void other_base_report(struct diag *diag, const char *text, uint64_t address);

#endif
