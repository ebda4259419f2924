// Work with an index in a separate thread, if it could take longer than a key press may on a large
// trace.
#ifndef TRAWL_BROWSE_INDEX_JOB_H
#define TRAWL_BROWSE_INDEX_JOB_H

#include "analysis/index_view.h"

#include <stdatomic.h>

// How long whoever starts a job may wait for it: of small traces all is there at once.
enum { INDEX_JOB_PATIENCE_MS = 10 };

struct index_job;

// Does it, and ends soon once *is_cancelled is set. The context is the job's until it was ended.
typedef void index_work(void *context, const struct index_view *view,
                        const _Atomic bool *is_cancelled);

// Starts it. The index, which must stay open as long, is opened again. NULL: it cannot be done so.
struct index_job *index_job_start(const struct index_view *indexed, index_work *work,
                                  void *context);

// Whether it is done within so many milliseconds.
bool index_job_wait(struct index_job *job, unsigned patience_ms);

// Stops it, or waits for its end if that is wanted. NULL is allowed.
enum index_job_end { INDEX_JOB_STOP, INDEX_JOB_FINISH };
void index_job_end(struct index_job *job, enum index_job_end how);

#endif
