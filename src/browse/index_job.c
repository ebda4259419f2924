#include "browse/index_job.h"

#include "base/thread.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

struct index_job {
    struct index_view view;
    index_work *work;
    void *context;
    _Atomic bool is_cancelled;
    sem_t has_ended;
    pthread_t thread;
};

static void *run(void *self)
{
    struct index_job *job = self;
    job->work(job->context, &job->view, &job->is_cancelled);
    sem_post(&job->has_ended);
    return NULL;
}

static void free_job(struct index_job *job)
{
    sem_destroy(&job->has_ended);
    index_view_close(&job->view);
    free(job);
}

struct index_job *index_job_start(const struct index_view *indexed, index_work *work, void *context)
{
    struct index_job *job = calloc(1, sizeof *job);
    struct error err;
    if (!job)
        return NULL;
    job->work = work;
    job->context = context;
    sem_init(&job->has_ended, 0, 0);
    if (index_view_open_again(&job->view, indexed, &err) == STATUS_OK &&
        threads_start(&job->thread, 1, run, job, sizeof *job) == 1)
        return job;
    free_job(job);
    return NULL;
}

void index_job_end(struct index_job *job, enum index_job_end how)
{
    if (!job)
        return;
    atomic_store(&job->is_cancelled, how == INDEX_JOB_STOP);
    pthread_join(job->thread, NULL);
    free_job(job);
}

bool index_job_take(struct index_job **job, unsigned patience_ms)
{
    struct timespec until;
    int result;
    if (!*job)
        return false;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)patience_ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while ((result = sem_timedwait(&(*job)->has_ended, &until)) != 0 && errno == EINTR)
        ;
    if (result != 0)
        return false;
    index_job_end(*job, INDEX_JOB_FINISH);
    *job = NULL;
    return true;
}
