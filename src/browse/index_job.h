// Work with an index in a separate thread, if it could take longer than a key press may on a large
// trace.
#ifndef TRAWL_BROWSE_INDEX_JOB_H
#define TRAWL_BROWSE_INDEX_JOB_H

#include "trace/index_view.h"

#include <stdatomic.h>

// How long the starter of a job may wait for it, so that small traces are complete at once.
enum { INDEX_JOB_PATIENCE_MS = 10 };

struct index_job;

// Does the work, and ends soon after *is_cancelled is set. The context belongs to the job until it
// has ended.
typedef void index_work(void *context, const struct index_view *view,
                        const _Atomic bool *is_cancelled);

// Starts it. The index is opened again, and must stay open until the end. NULL: not possible.
struct index_job *index_job_start(const struct index_view *indexed, index_work *work,
                                  void *context);

// Ends a job that is done, or will be in at most `patience_ms`; *job becomes NULL. False: it is not
// done, or there is none.
bool index_job_take(struct index_job **job, unsigned patience_ms);

// Stops it, or waits for its end. NULL is allowed.
enum index_job_end { INDEX_JOB_STOP, INDEX_JOB_FINISH };
void index_job_end(struct index_job *job, enum index_job_end how);

#endif
