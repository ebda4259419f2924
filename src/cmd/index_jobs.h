// Indexes many traces, several at a time.
#ifndef TRAWL_CMD_INDEX_JOBS_H
#define TRAWL_CMD_INDEX_JOBS_H

#include "cmd/index_inputs.h"
#include "cmd/index_summary.h"
#include "cmd/trace_command.h"

struct index_jobs {
    struct trace_command *common; // copied for each job
    const struct index_inputs *inputs;
    uint64_t at_once; // 0: as many as there are threads
    struct index_summary summary;
};

// Indexes one trace, unless its index fits. Messages go to `out`. Initializes and frees `command`.
// The caller frees the outcome with index_outcome_free.
void index_job_run(struct trace_command *command, const struct trace_command *common,
                   const struct index_input *input, FILE *out, struct index_outcome *outcome);

// Indexes all traces. The messages about a trace are printed together on standard error, in the
// given order, except that traces that failed come last. *worst: the worst status of all.
enum status index_jobs_run(struct index_jobs *jobs, enum exit_status *worst, struct error *err);

#endif
