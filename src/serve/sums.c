#include "serve/sums.h"

#include "browse/sums_job.h"

#include <pthread.h>
#include <stdlib.h>

struct sums {
    pthread_mutex_t lock;
    struct sums_job *job; // NULL: finished, or none
    bool has_sums;
    struct level_sums sums;
};

enum status sums_open(struct sums **out, const struct index_view *view, struct error *err)
{
    struct sums *sums = calloc(1, sizeof *sums);
    if (!sums)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    pthread_mutex_init(&sums->lock, NULL);
    if (view->info.lanes == 1)
        sums->job = sums_job_start(view, 0);
    *out = sums;
    return STATUS_OK;
}

void sums_close(struct sums *sums)
{
    if (!sums)
        return;
    sums_job_stop(sums->job);
    level_sums_free(&sums->sums);
    pthread_mutex_destroy(&sums->lock);
    free(sums);
}

const struct level_sums *sums_wait(struct sums *sums)
{
    struct error err;
    pthread_mutex_lock(&sums->lock);
    if (sums->job)
        sums->has_sums = sums_job_take(sums->job, &sums->sums, &err) == STATUS_OK;
    sums->job = NULL;
    bool has_sums = sums->has_sums;
    pthread_mutex_unlock(&sums->lock);
    return has_sums ? &sums->sums : NULL;
}
