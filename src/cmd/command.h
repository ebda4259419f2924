// What every command over a trace shares: options, images, the pass with its warnings, damage and
// progress, the output, and the status to end with.
#ifndef TRAWL_CMD_COMMAND_H
#define TRAWL_CMD_COMMAND_H

#include "cli/diag.h"
#include "cli/options.h"
#include "names/source_lines.h"
#include "query/file_place.h"
#include "query/frame_split.h"
#include "query/text_around.h"
#include "query/trace_text.h"
#include "report/out.h"
#include "report/table.h"
#include "session/session.h"

// --- --context -----------------------------------------------------------------------------------

// The lines of the trace around each place that a report names.

struct trace_context {
    bool is_wanted, is_open;
    uint64_t count; // on either side
    struct trace_lines lines;
    const struct source *source; // of the lines
    struct out out;              // in memory
    bool lacks_memory;           // some lines could not be made, so showing them must fail
};

// Prepares the text, if requested, after the trace was opened.
enum status trace_context_open(struct trace_context *context, const struct session *session,
                               struct error *err);

// Writes the last cell of a row, if the lines were requested.
void trace_context_cell(struct trace_context *context, struct table *table,
                        const struct line_place *place);

// The same as lines of their own.
void trace_context_put(struct trace_context *context, struct out *out,
                       const struct line_place *place);

// The same as a text for `out`, valid until the next call; NULL: none.
const char *trace_context_text(struct trace_context *context, struct out *out,
                               const struct line_place *place);

void trace_context_free(struct trace_context *context);

// A copy of a line for a cell of a table, at most LIMIT_LINE_BYTES of it. NULL: no memory. Freed by
// the caller.
char *trace_context_copy(const struct trace_lines *lines, const struct line_place *place);

// --- command.c -----------------------------------------------------------------------------------

// Ids of the shared options; a command's own begin at OPTION_OWN.
enum {
    OPTION_IMAGE = 1,
    OPTION_LOAD_OFFSET,
    OPTION_FORCE_IMAGE,
    OPTION_NO_IMAGE_MEMORY,
    OPTION_PHYSICAL,
    OPTION_SPACE,
    OPTION_LITTLE_ENDIAN,
    OPTION_BIG_ENDIAN,
    OPTION_BYTE_ORDER,
    OPTION_IMPLICIT_THUMB,
    OPTION_ISA,
    OPTION_DEBUG,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_WIDE,
    OPTION_SHOW_PROGRESS,
    OPTION_INDEX,
    OPTION_FORCE_INDEX,
    OPTION_ONLY_INDEX,
    OPTION_NO_INDEX,
    OPTION_MEMORY_INDEX,
    OPTION_SEGMENT_EVENTS,
    OPTION_STRICT,
    OPTION_THREADS,
    OPTION_CHUNK_SIZE,
    OPTION_MAX_MEMORY,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_DEMANGLE,
    OPTION_NO_DEMANGLE,
    OPTION_NO_OFFSETS,
    OPTION_OPEN_FRAMES,
    OPTION_LINES,
    OPTION_INLINES,
    OPTION_INSTRUCTIONS,
    OPTION_RETURNED_ONLY,
    OPTION_TIME,
    OPTION_EVENTS,
    OPTION_OLD_EVENTS,
    OPTION_LANE,
    OPTION_FUNCTION,
    OPTION_DEPTH,
    OPTION_DEDUCE,
    OPTION_BY,
    OPTION_TASK,
    OPTION_TASK_NAME,
    OPTION_TASK_KEY,
    OPTION_OS,
    OPTION_CONTEXT,
    OPTION_HIDE,
    OPTION_THEN,
    OPTION_WITH,
    OPTION_LANE_FILE,
    OPTION_OTHER_THEN,
    OPTION_OTHER_WITH,
    OPTION_OTHER_IMAGE,
    OPTION_STRIP_PREFIX,
    OPTION_AT, // of commands that ask about a point
    OPTION_OWN = 100,
};

// Tables of options. For trawl: how the trace is read; what is shown of it; how its index is used;
// how it runs (-o comes first, so that commands without it take the rest). For the tarmac-* names:
// all shared options.
extern const struct option_spec ttu_options[];
extern const struct option_spec ttu_no_offsets_options[];
extern const struct option_spec image_options[], no_offsets_options[];
extern const struct option_spec byte_order_options[]; // of memory in an index
extern const struct option_spec reading_options[];
extern const struct option_spec xray_options[];        // of calls of XRay logs
extern const struct option_spec open_frames_options[]; // for older scripts
extern const struct option_spec filter_options[];
extern const struct option_spec call_filter_options[];
extern const struct option_spec task_options[];
extern const struct option_spec task_name_options[]; // for names of tasks
extern const struct option_spec index_options[];
extern const struct option_spec files_options[]; // for traces that have lines
extern const struct option_spec run_options[];

// The shared options that contradict each other (cli/options.h); a command with more of them puts
// these first.
#define TRACE_ALTERNATIVES                                                                         \
    OPTION_LITTLE_ENDIAN, OPTION_BIG_ENDIAN, OPTION_BYTE_ORDER, 0, OPTION_FORCE_INDEX,             \
        OPTION_ONLY_INDEX, OPTION_NO_INDEX, 0, OPTION_DEMANGLE, OPTION_NO_DEMANGLE, 0
extern const int trace_alternatives[];

// Only the trace, as positional.
extern const struct positional_spec trace_positional[];
extern const struct positional_spec ttu_trace_positional[];

// The most columns of a table about a trace.
#define TRACE_COLUMNS_MAX 48

// --context, for the tables of commands that have it.
#define TRACE_CONTEXT_OPTION                                                                       \
    {                                                                                              \
        OPTION_CONTEXT, 0, "context", "N", "also show N lines of the trace around each position"   \
    }

// A further trace (cmd/other_run.h).
struct other_run {
    const char *path; // NULL: files were typed for one that was not named
    struct session_files files;
    bool continues, merges;     // --other-then or --other-with was given
    VEC(, const char *) images; // --other-image, or else those of the first trace
    bool is_other_build;        // the former
};

// A command while it runs: what was typed, the session, the messages. Also of commands that ask an
// index about a point (cmd/query.h).
struct command {
    const struct command_spec *spec;
    const struct option_need *own_options; // which traces its options need (cmd/option_rows.h);
                                           // NULL: as shared
    uint64_t given[2];                     // a bit for each option: shared ones, its own
    unsigned needs;              // abilities that the trace must have (enum trace_ability)
    bool takes_index;            // an index is enough instead of its trace
    bool root_only_lacks_offset; // the effect of --no-offsets there
    bool shows_tasks;            // the output tells the task
    unsigned split_by;           // enum frame_split_by, for contexts
    bool no_offsets, debug_calls, verbose, quiet, show_progress, wide;
    const char *output;             // NULL: standard output
    bool packs_output;              // if its name ends in .gz
    int output_fd;                  // written to instead; 0: the output itself
    uint64_t shown_bytes;           // of the output, by an earlier try
    const char *format;             // NULL: the command's default
    enum table_format table_format; // the same for commands that write tables
    bool writes_tables;
    // Opens the table of many files to which the report is added, as `parquet`; NULL: the report
    // goes to the output. Ended by command_end and _free.
    enum status (*open_parquet)(struct command *command, struct error *err);
    struct parquet *parquet;
    enum exit_status status;      // to end with; EXIT_STATUS_FAILED until it is known
    struct out out;               // of the report
    bool has_output;              // it is open
    bool has_ended;               // and was closed, and what is missing was reported
    struct table table;           // on `out`
    bool has_table;               // it was begun
    struct trace_context context; // of --context
    const struct field *fields[TRACE_COLUMNS_MAX]; // of the table, if it has any
    size_t field_count;
    struct table_column columns[TRACE_COLUMNS_MAX]; // of the table
    char place[FILE_PLACE_BYTES];                   // of the current row
    char *index_path;     // of the index that was built or fits; NULL: unknown. Owned
    bool has_built_index; // it was

    VEC(, struct other_run) others;
    struct line_prefix *prefix; // of the session; owned

    // Questions about a point of the trace (cmd/query.h).
    bool asks_index;   // the command is one
    const char *at;    // as typed; NULL: the end
    bool is_damaged;   // the current index, which may be built again
    bool uses_memory;  // what it shows depends on memory
    bool is_physical;  // addresses of memory are physical
    const char *space; // in which they are virtual, as typed; NULL: that of the lane
    uint64_t lane;     // TRAWL_ANY_LANE: all
    uint64_t event;    // of `at`

    struct session session;
    struct diag diag;
    bool has_told_loss;  // reported that registers were left out of the index
    bool has_told_index; // reported that an index may be lost
    bool has_told_text;  // reported that lines of the trace may be lost
    struct progress progress;
    struct out debug;
    uint64_t progress_offset; // METER_TTU: shown up to here
};

// --- The command line ----------------------------------------------------------------------------

// What is a command's own.
struct command_steps {
    void *self;
    // Takes its own options (from OPTION_OWN on) and the positionals after the trace, or all
    // positionals if there may be several traces. OPTION_END: taken; OPTION_STOP: the misuse was
    // reported. NULL: it has none.
    int (*take)(void *self, struct options_parser *parser, int option,
                const struct option_match *match);
    // After all options: whether they fit each other. False: the misuse was reported. NULL: they
    // do.
    bool (*check)(void *self, struct options_parser *parser);
    // Makes the pass, or asks the index, and writes the report. False: failed, which was reported.
    // NULL: there is nothing but the messages at the end.
    bool (*report)(void *self);
};

// Sets the defaults, which a command may change before it runs (cmd/driver.h).
void command_begin(struct command *command, const struct command_spec *spec);

// Takes the whole command line, and checks it. False: end with parser->status.
bool command_options(struct command *command, struct options_parser *parser, int argc,
                     char *const *argv, const struct command_steps *steps);
void command_free(struct command *command);

// --- Failures ------------------------------------------------------------------------------------

// Reports an error in the style of the command, and notes the status to end with. Returns false.
// Damage of the index that can be repaired is not reported.
bool command_fail(struct command *command, const struct error *err);

// The same with an error without a place, of which `path`, if it is not NULL, is the file.
bool command_fail_with(struct command *command, enum status status, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool command_no_memory(struct command *command);

// The same for what the options request and the trace does not have: ends with EXIT_STATUS_USAGE.
bool command_refuse(struct command *command, const char *why);

// --- Output --------------------------------------------------------------------------------------

// Opens command->out. command_end closes it; if the report fails, it is discarded.
bool command_output(struct command *command);

// The same, and begins command->table with those of `fields` that need only `bits`
// (report/table.h) and a column for --context if given; the heading of lanes is the word of the
// kind of trace.
bool command_fields(struct command *command, const struct field *fields, size_t field_count,
                    unsigned bits);

// Writes a row of it; `at` is its place in the trace, for --context. NULL: it has none.
void command_row(struct command *command, const void *row, const struct line_place *at);

// The same for a table whose cells are written one by one.
bool command_table(struct command *command, const struct table_column *columns,
                   size_t column_count);

// Begins a table on command->out, for reports that write it as a part of something else: in the
// format of the command, or in memory for a program that runs it.
enum status command_begin_table(struct command *command, struct table *table,
                                const struct table_column *columns, size_t count,
                                struct error *err);

// For a report that needs no messages at the end: it has succeeded. Returns true.
bool command_done(struct command *command);

// Closes the output, which is complete; a program that runs the command gets what is in it.
enum status command_close(struct command *command, struct error *err);

// Discards the output, if it is open.
void command_abandon(struct command *command);

// Whether a report continues after it has shown something or nothing: with filters, showing nothing
// is an error.
bool command_require_shown(struct command *command, bool shows_something);

// Prepares the text for --context, if given, after the trace was opened.
bool command_context(struct command *command);

// Whether a trace that is read while its report is written is unchanged.
bool command_is_intact(const struct command *command);

// Whether there is text of the trace's lines; if it is lost, this is reported once.
bool command_has_text(struct command *command, enum trace_text found);

// Writes text of the trace or of an image for people: unchanged under the tarmac-* names, inert
// under `trawl`.
void command_put(const struct command *command, struct out *out, const char *text);

// The value of a column for the id of a function (of traces without TRACE_ADDRESSES). NULL: a
// lane's root has none.
const uint64_t *command_function_id(uint64_t pc, uint64_t *id);

// --- Options -------------------------------------------------------------------------------------

// Takes a shared option or the trace's name. OPTION_END: taken; OPTION_STOP: the misuse was
// reported.
int command_option(struct command *command, struct options_parser *parser, int option,
                   const struct option_match *match);

// Records that an option was given; command_options does this.
void command_note_given(struct command *command, int option);
void command_set_given(struct command *command, int option, bool is_given);
bool command_was_given(const struct command *command, int option);

// Makes the session keep to --max-memory, if given; command_options does this.
void command_fit_memory(struct command *command);

// --- One trace of several ------------------------------------------------------------------------

// Begins the command of one trace of several, as a copy of the common one; its messages go to
// `out`. Ended by command_free_one.
void command_begin_one(struct command *one, const struct command *common, const char *path,
                       FILE *out);
void command_free_one(struct command *one);

// Makes the output of `command` count as failed if there was no memory for names of `other`, whose
// trace is also in it.
void command_depends_on(struct command *command, const struct command *other);

// --- Messages at the end -------------------------------------------------------------------------

// Whether any core begins or ends in the images. All zero at first.
struct core_fit {
    bool has_cores, fits;
    uint64_t first; // where the first core begins
};

// Reports if names were needed for functions that none of the images has.
void command_report_unknown_ids(struct command *command);

// Adds a core that begins and ends at those addresses.
void command_fit_core(const struct command *command, struct core_fit *fit, uint64_t first,
                      uint64_t last);

// Warns where none fits.
void command_report_misfit(struct command *command, const struct core_fit *fit);

// Warns about calls without the stack pointer, which the trace never writes.
void command_say_no_sp(struct command *command);

// Reports lines that are not understood, the most common first. Returns whether these are most of
// the trace.
bool command_report_unknown(struct command *command, const struct unknown_summary *unknown,
                            uint64_t lines);

// Reports how much of a trace that is being written was read, or that the index covers less.
void command_say_of_growth(struct command *command);

// Reports all of these. Returns the status to end with.
enum exit_status command_sum_up(struct command *command);

// Reports what the trace's kind reports itself (trace_telling.sum_up, which it must have).
void command_say_of_kind(struct command *command);

// Prints where the time of a pass went.
void command_print_stages(const struct command *command);

// --- Source lines of a report --------------------------------------------------------------------

// Frees them, and reports if the lines of an image were left out, and why. False: some are missing
// for lack of memory, which is not reported yet.
bool source_places_end(struct command *command, struct source_lines *places);

#endif
