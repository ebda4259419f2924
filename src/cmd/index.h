// The parts of `trawl index`: what it indexes, one after the other or several at a time, and TTU's
// format. Private to it, except for the inputs, which `trawl farm` takes too.
#ifndef TRAWL_CMD_INDEX_H
#define TRAWL_CMD_INDEX_H

#include "base/error.h"
#include "base/vec.h"
#include "cli/diag.h"
#include "cmd/command.h"
#include "report/table.h"

// --- index_inputs.c ------------------------------------------------------------------------------

// The traces to index, from files and directories, and where each index goes.

struct index_input {
    char *trace;
    char *below; // its path relative to the named directory, or its name
    char *index; // NULL: the default place
};

struct index_inputs {
    VEC(, struct index_input) items; // in the order of the words; files of a directory by name
};

// Adds a file, or all files in a directory and its subdirectories whose names match a shell pattern
// (NULL: the usual names of traces). Indexes are left out, and links to directories are not
// followed. STATUS_NOT_FOUND: the directory has none; STATUS_IO: it cannot be read.
enum status index_inputs_add(struct index_inputs *inputs, const char *word, const char *pattern,
                             struct error *err);

// Leaves out files that were named before, by this or another path.
enum status index_inputs_leave_out_same(struct index_inputs *inputs, struct error *err);

// Places all indexes below a directory, at their paths `below`; with `makes`, missing directories
// are made. If different files would have the same path, a hash of the whole path is added to each,
// so that the result does not depend on what else is named. A file that is named several times is
// kept once.
enum status index_inputs_place(struct index_inputs *inputs, const char *directory, bool makes,
                               struct error *err);

void index_inputs_free(struct index_inputs *inputs);

// --- index_jobs.c --------------------------------------------------------------------------------

// All zero: nothing is known yet.
struct index_outcome {
    const char *trace;
    char *index; // its path, owned; NULL: unknown
    enum exit_status status;
    bool was_built; // false: an existing index fits
    uint64_t lines; // 0: the kind of trace has none
    uint64_t trace_bytes, index_bytes, wall_ns;
    char *said; // messages, owned; NULL: none
};

void index_outcome_free(struct index_outcome *outcome);

struct index_summary {
    bool is_wanted;
    struct out out;
    struct table table;
};

// Begins the table on standard output.
enum status index_summary_begin(struct index_summary *summary, enum table_format format,
                                struct error *err);

// Adds a row. Except in text for humans, it is written at once.
void index_summary_add(struct index_summary *summary, const struct index_outcome *outcome);

enum status index_summary_end(struct index_summary *summary, struct error *err);

struct index_jobs {
    struct command *common; // copied for each job
    const struct index_inputs *inputs;
    uint64_t at_once; // 0: as many as there are threads
    struct index_summary summary;
};

// Indexes one trace, unless its index fits. Messages go to `out`. Initializes and frees `command`.
// The caller frees the outcome with index_outcome_free.
void index_job_run(struct command *command, const struct command *common,
                   const struct index_input *input, FILE *out, struct index_outcome *outcome);

// Indexes all traces. The messages about a trace are printed together on standard error, in the
// given order, except that traces that failed come last. *worst: the worst status of all.
enum status index_jobs_run(struct index_jobs *jobs, enum exit_status *worst, struct error *err);

// --- index_ttu.c ---------------------------------------------------------------------------------

// index --format ttu: the index that the browsers of the Tarmac Trace Utilities read.

// Writes the index of the trace at `path` to command->output. `common` has all options.
enum exit_status index_ttu(struct command *common, const char *path);

#endif
