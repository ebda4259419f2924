#include "browse/sums_job.h"

#include "base/thread.h"

#include <stdlib.h>

struct sums_job {
    struct index_view view;
    struct index_calls calls;
    struct level_sums sums;
    _Atomic bool is_cancelled;
    enum status status;
    struct error err;
    pthread_t thread;
};

static void *make(void *context)
{
    struct sums_job *job = context;
    const struct lane_calls table = index_calls_table(&job->calls);
    job->status = level_sums_make(&job->sums, &table, &job->is_cancelled, &job->err);
    if (job->status == STATUS_OK && job->calls.has_failed) {
        job->err = job->calls.err;
        job->status = job->err.status;
    }
    return NULL;
}

static void free_job(struct sums_job *job)
{
    level_sums_free(&job->sums);
    index_calls_free(&job->calls);
    index_view_close(&job->view);
    free(job);
}

struct sums_job *sums_job_start(const struct index_view *indexed, uint64_t lane)
{
    struct sums_job *job = calloc(1, sizeof *job);
    struct error err;
    if (!job)
        return NULL;
    if (index_view_open_again(&job->view, indexed, &err) == STATUS_OK &&
        index_calls_open(&job->calls, &job->view, lane, &err) == STATUS_OK &&
        threads_start(&job->thread, 1, make, job, sizeof *job) == 1)
        return job;
    free_job(job);
    return NULL;
}

enum status sums_job_take(struct sums_job *job, struct level_sums *sums, struct error *err)
{
    pthread_join(job->thread, NULL);
    enum status status = job->status;
    if (status == STATUS_OK) {
        *sums = job->sums;
        job->sums = (struct level_sums){0};
    } else {
        *err = job->err;
    }
    free_job(job);
    return status;
}

void sums_job_stop(struct sums_job *job)
{
    if (!job)
        return;
    atomic_store(&job->is_cancelled, true);
    pthread_join(job->thread, NULL);
    free_job(job);
}
