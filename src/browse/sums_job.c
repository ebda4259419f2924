#include "browse/sums_job.h"

#include "browse/index_job.h"

#include <stdlib.h>

struct sums_job {
    struct index_job *job;
    uint64_t lane;
    struct level_sums sums;
    enum status status;
    struct error err;
};

static void make(void *context, const struct index_view *view, const _Atomic bool *is_cancelled)
{
    struct sums_job *job = context;
    struct index_calls calls;
    job->status = index_calls_open(&calls, view, job->lane, &job->err);
    if (job->status == STATUS_OK) {
        const struct lane_calls table = index_calls_table(&calls);
        job->status = level_sums_make(&job->sums, &table, is_cancelled, &job->err);
    }
    if (job->status == STATUS_OK && calls.has_failed) {
        job->err = calls.err;
        job->status = job->err.status;
    }
    index_calls_free(&calls);
}

struct sums_job *sums_job_start(const struct index_view *indexed, uint64_t lane)
{
    struct sums_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->lane = lane;
    job->job = index_job_start(indexed, make, job);
    if (job->job)
        return job;
    free(job);
    return NULL;
}

enum status sums_job_take(struct sums_job *job, struct level_sums *sums, struct error *err)
{
    index_job_end(job->job, INDEX_JOB_FINISH);
    enum status status = job->status;
    if (status == STATUS_OK) {
        *sums = job->sums;
        job->sums = (struct level_sums){0};
    } else {
        *err = job->err;
    }
    level_sums_free(&job->sums);
    free(job);
    return status;
}

void sums_job_stop(struct sums_job *job)
{
    if (!job)
        return;
    index_job_end(job->job, INDEX_JOB_STOP);
    level_sums_free(&job->sums);
    free(job);
}
