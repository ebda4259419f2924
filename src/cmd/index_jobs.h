// Indexes many traces, several at a time.
#ifndef TRAWL_CMD_INDEX_JOBS_H
#define TRAWL_CMD_INDEX_JOBS_H

#include "cli/exit_status.h"
#include "cmd/command.h"
#include "cmd/index_inputs.h"
#include "report/table.h"

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

#endif
