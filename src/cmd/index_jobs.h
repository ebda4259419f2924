// Indexes many traces, several at a time.
#ifndef TRAWL_CMD_INDEX_JOBS_H
#define TRAWL_CMD_INDEX_JOBS_H

#include "cmd/index_inputs.h"
#include "cmd/index_summary.h"
#include "cmd/trace_command.h"

struct index_jobs {
    struct trace_command *common; // of which each job's command is a copy
    const struct index_inputs *inputs;
    uint64_t at_once; // 0: as many as there are threads
    struct index_summary summary;
};

// Indexes one trace, or finds that its index fits. What there is to say goes to `out`. `command` is
// made, and over again, here; the outcome is freed by its own function.
void index_job_run(struct trace_command *command, const struct trace_command *common,
                   const struct index_input *input, FILE *out, struct index_outcome *outcome);

// Indexes all of them. What is said of one stands together on standard error, in the order in which
// they were given, except for those that failed, which come last. *worst: the worst status of all.
enum status index_jobs_run(struct index_jobs *jobs, enum exit_status *worst, struct error *err);

#endif
