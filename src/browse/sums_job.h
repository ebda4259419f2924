// Sums of a lane's lines by levels (browse/level_sums.h), computed in the background, because that
// could take longer than a key press may on a large trace.
#ifndef TRAWL_BROWSE_SUMS_JOB_H
#define TRAWL_BROWSE_SUMS_JOB_H

#include "browse/level_sums.h"

struct sums_job;

// Starts it for the calls of one lane. The index is opened again, and must stay open until the end.
// NULL: not possible.
struct sums_job *sums_job_start(const struct index_view *indexed, uint64_t lane);

// Waits for the end, and gives the sums to the caller; the job is over. On failure, `err` has the
// reason.
enum status sums_job_take(struct sums_job *job, struct level_sums *sums, struct error *err);

// Stops it. NULL is allowed.
void sums_job_stop(struct sums_job *job);

#endif
