// What every command over a trace shares: options, images, the pass with its warnings, damage and
// progress, and the status to end with.
#ifndef TRAWL_CMD_TRACE_COMMAND_H
#define TRAWL_CMD_TRACE_COMMAND_H

#include "analysis/file_place.h"
#include "analysis/frame_split.h"
#include "analysis/trace_text.h"
#include "cli/diag.h"
#include "cli/options.h"
#include "cmd/trace_context.h"
#include "report/out.h"
#include "report/table.h"
#include "session/session.h"

// Ids of the shared options; a command's own begin at OPTION_OWN.
enum {
    OPTION_IMAGE = 1,
    OPTION_LOAD_OFFSET,
    OPTION_FORCE_IMAGE,
    OPTION_LITTLE_ENDIAN,
    OPTION_BIG_ENDIAN,
    OPTION_IMPLICIT_THUMB,
    OPTION_DEBUG,
    OPTION_VERBOSE,
    OPTION_QUIET,
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
    OPTION_LANE,
    OPTION_FUNCTION,
    OPTION_DEPTH,
    OPTION_DEDUCE,
    OPTION_BY,
    OPTION_TASK,
    OPTION_TASK_NAME,
    OPTION_CONTEXT,
    OPTION_HIDE,
    OPTION_THEN,
    OPTION_WITH,
    OPTION_LANE_FILE,
    OPTION_OTHER_THEN,
    OPTION_OTHER_WITH,
    OPTION_OWN = 100,
};

// The tables. Of trawl: how the trace is read; what of it is shown; what becomes of its index; how
// it runs (-o comes first, so that commands without it take the rest). Of the tarmac-* names: all
// that they share.
extern const struct option_spec ttu_options[];
extern const struct option_spec ttu_no_offsets_options[];
extern const struct option_spec image_options[], no_offsets_options[];
extern const struct option_spec byte_order_options[]; // of memory in an index
extern const struct option_spec reading_options[];
extern const struct option_spec xray_options[]; // of calls of XRay logs
extern const struct option_spec filter_options[];
extern const struct option_spec call_filter_options[];
extern const struct option_spec task_options[];
extern const struct option_spec task_name_options[]; // the same without --by
extern const struct option_spec index_options[];
extern const struct option_spec files_options[]; // of what has lines
extern const struct option_spec run_options[];

// Of the shared options, those that contradict each other (cli/options.h): for a command without
// such options of its own, and to be put before them.
#define TRACE_ALTERNATIVES                                                                         \
    OPTION_LITTLE_ENDIAN, OPTION_BIG_ENDIAN, 0, OPTION_FORCE_INDEX, OPTION_ONLY_INDEX,             \
        OPTION_NO_INDEX, 0, OPTION_DEMANGLE, OPTION_NO_DEMANGLE, 0
extern const int trace_alternatives[];

// The trace alone, as positional.
extern const struct positional_spec trace_positional[];
extern const struct positional_spec ttu_trace_positional[];

// The most columns of a table about a trace.
#define TRACE_COLUMNS_MAX 24

// --context, for the tables of commands that have it.
#define TRACE_CONTEXT_OPTION                                                                       \
    {                                                                                              \
        OPTION_CONTEXT, 0, "context", "N", "also show N lines of the trace around each position"   \
    }

// A trace that is set beside the first one (cmd/other_run.h).
struct other_run {
    const char *path; // NULL: files were typed of one that is not named
    struct session_files files;
    bool continues, merges; // --other-then, --other-with was given
};

struct trace_command {
    const struct command_spec *spec;
    const struct option_kinds *own_options; // what they need (cmd/option_kinds.h); NULL: as shared
    uint64_t given[2];                      // a bit for each option: shared ones, its own
    unsigned needs;              // what the trace has to be able to do (enum trace_ability)
    bool takes_index;            // an index will do in place of its trace
    bool root_only_lacks_offset; // what --no-offsets does there
    bool shows_tasks;            // what is shown says of which task it is
    unsigned split_by;           // enum frame_split_by: what contexts are split by
    bool no_offsets, debug_calls, verbose, quiet, show_progress;
    const char *output;             // NULL: standard output
    bool packs_output;              // if its name ends in .gz
    int output_fd;                  // what is written to in its place; 0: itself
    uint64_t shown_bytes;           // of it, by an earlier try
    const char *format;             // NULL: the command's default
    enum table_format table_format; // what that is, for commands that write tables
    bool writes_tables;
    // Opens the table of many files that the report becomes a part of, as `parquet`; NULL: it goes
    // to the output. trace_command_end and _free end it.
    enum status (*open_parquet)(struct trace_command *command, struct error *err);
    struct parquet *parquet;
    struct trace_context context;             // of --context
    struct column columns[TRACE_COLUMNS_MAX]; // of the table in hand
    char place[FILE_PLACE_BYTES];             // of its row
    char *index_path;     // of the index that was built or fits; NULL: not known. Its own
    bool has_built_index; // it was

    VEC(, struct other_run) others;
    struct session session;
    struct diag diag;
    bool has_told_loss;  // that registers were left out of the index
    bool has_told_index; // that one may be lost
    bool has_told_text;  // and lines of the trace
    struct progress progress;
    struct out debug;
    uint64_t progress_offset; // METER_TTU: shown up to here
};

void trace_command_begin(struct trace_command *command, const struct command_spec *spec);
void trace_command_free(struct trace_command *command);

// Takes a shared option or the trace's name. OPTION_END when it was taken, else OPTION_STOP with
// the misuse reported.
int trace_command_option(struct trace_command *command, struct options_parser *parser, int option,
                         const struct option_match *match);

// Notes that an option was given, for those that ask later; trace_command_options does.
void trace_command_note_given(struct trace_command *command, int option);
void trace_command_set_given(struct trace_command *command, int option, bool is_given);
bool trace_command_was_given(const struct trace_command *command, int option);

// Has the session keep to --max-memory, if that was given; trace_command_options does.
void trace_command_fit_memory(struct trace_command *command);

// How a command takes its own options (from OPTION_OWN on) and the positionals after the trace, or
// all of them where there may be several traces: OPTION_END when taken, else OPTION_STOP with the
// misuse reported.
struct trace_command_own {
    void *self;
    int (*take)(void *self, struct options_parser *parser, int option,
                const struct option_match *match);
};

// Takes the whole command line; `own` is NULL for a command without options of its own. False:
// nothing to run, end with parser->status.
bool trace_command_options(struct trace_command *command, struct options_parser *parser, int argc,
                           char *const *argv, const struct trace_command_own *own);

// Reports an error in the manner of the command; returns the status to end with.
enum exit_status trace_command_error(struct trace_command *command, const struct error *err);

// Reports that there is no memory; returns the status to end with.
enum exit_status trace_command_no_memory(struct trace_command *command);

// Has what `command` wrote count as failed where there was no memory for names of `other`, whose
// trace it tells of, too.
void trace_command_depends_on(struct trace_command *command, const struct trace_command *other);

// Begins the command of one trace of several, as a copy of what all share; what it says goes to
// `out`. Ended by trace_command_end_one.
void trace_command_begin_one(struct trace_command *one, const struct trace_command *common,
                             const char *path, FILE *out);
void trace_command_end_one(struct trace_command *one);

// Whether a report goes on that has shown, or is about to show, something or nothing: with filters,
// nothing is an error. False: told, *status is what to end with.
bool trace_command_has_shown(struct trace_command *command, bool shows_something,
                             enum exit_status *status);

// Makes the text for --context ready, if that was given, after the trace is open. False: it cannot
// be had, reported; *status is what to end with.
bool trace_command_context(struct trace_command *command, enum exit_status *status);

// Begins a table on `out`, with a column for --context where that was given; a column of lanes is
// headed as the kind of trace calls them. False: reported, `out` is abandoned, status set.
bool trace_command_table(struct trace_command *command, struct table *table, struct out *out,
                         const struct column *columns, size_t column_count,
                         enum exit_status *status);

// Whether a trace that is read while its report is written is still what it was.
bool trace_command_is_intact(const struct trace_command *command);

// Whether there is text of the trace's lines; that it is lost is said, once.
bool trace_command_has_text(struct trace_command *command, enum trace_text found);

// A cell with the id of a function (TRACE_ADDRESSES lacking), empty for a lane's root.
void trace_command_function_id(struct table *table, uint64_t pc);

// Opens the output of the report. False: reported, status set.
bool trace_command_output(struct trace_command *command, struct out *out, enum exit_status *status);

// Closes it, sums up the damage and, if asked, where the time went. Returns the status to end with.
enum exit_status trace_command_end(struct trace_command *command, struct out *out);

// Whether some core begins or ends in the images. All zero to begin with.
struct core_fit {
    bool has_cores, fits;
    uint64_t first; // where the first core begins
};

// Says that functions of the trace were asked for that none of the images has, if any is there.
void trace_command_report_unknown_ids(struct trace_command *command);

// Adds a core that begins and ends at those addresses.
void trace_command_fit_core(const struct trace_command *command, struct core_fit *fit,
                            uint64_t first, uint64_t last);

// Warns where none fits.
void trace_command_report_misfit(struct trace_command *command, const struct core_fit *fit);

// Says what calls are without the stack pointer, which the trace never writes.
void trace_command_say_no_sp(struct trace_command *command);

// Says which lines say nothing to us, the most common first. Returns whether that is most of the
// trace.
bool trace_command_report_unknown(struct trace_command *command,
                                  const struct unknown_summary *unknown, uint64_t lines);

// Says how much of a trace that is being written was read, or that the index has less than that.
void trace_command_say_of_growth(struct trace_command *command);

// The same for a command without output.
enum exit_status trace_command_sum_up(struct trace_command *command);

// Says what the trace's kind has to say itself (trace_kind.sum_up, which it must have).
void trace_command_say_of_kind(struct trace_command *command);

// Prints where the time of a pass went.
void trace_command_print_stages(const struct trace_command *command);

// Writes text of the trace or of an image among lines for people: as it is under the tarmac-*
// names, inert under `trawl`.
void trace_command_put(const struct trace_command *command, struct out *out, const char *text);

#endif
