#include "base/ordered.h"

#include "base/thread.h"

#include <pthread.h>

struct crew {
    void *self;
    const struct ordered_work *work;
    pthread_mutex_t take_lock;
    uint64_t taken;
    bool is_at_end; // under take_lock
    pthread_mutex_t put_lock;
    pthread_cond_t was_put;
    uint64_t put;
    bool has_failed; // under put_lock
};

static bool take(struct crew *crew, unsigned worker, uint64_t *number)
{
    pthread_mutex_lock(&crew->take_lock);
    crew->is_at_end = crew->is_at_end || !crew->work->take(crew->self, worker);
    bool has_item = !crew->is_at_end;
    *number = crew->taken;
    crew->taken += has_item;
    pthread_mutex_unlock(&crew->take_lock);
    return has_item;
}

static bool put(struct crew *crew, unsigned worker, uint64_t number)
{
    pthread_mutex_lock(&crew->put_lock);
    while (crew->put != number)
        pthread_cond_wait(&crew->was_put, &crew->put_lock);
    crew->has_failed = crew->has_failed || !crew->work->put(crew->self, worker);
    bool goes_on = !crew->has_failed;
    crew->put++;
    pthread_cond_broadcast(&crew->was_put);
    pthread_mutex_unlock(&crew->put_lock);
    return goes_on;
}

// Each item of parallel_run is a run of this loop; the first one to return ends the work.
static bool run_worker(void *self, unsigned worker, uint64_t item)
{
    struct crew *crew = self;
    uint64_t number;
    bool goes_on = true;
    (void)item;
    while (goes_on && take(crew, worker, &number)) {
        crew->work->make(crew->self, worker);
        goes_on = put(crew, worker, number);
    }
    return goes_on;
}

bool ordered_run(unsigned threads, void *self, const struct ordered_work *work)
{
    struct crew crew = {.self = self, .work = work};
    pthread_mutex_init(&crew.take_lock, NULL);
    pthread_mutex_init(&crew.put_lock, NULL);
    pthread_cond_init(&crew.was_put, NULL);
    bool is_done = parallel_run(threads, threads, &crew, run_worker);
    pthread_cond_destroy(&crew.was_put);
    pthread_mutex_destroy(&crew.put_lock);
    pthread_mutex_destroy(&crew.take_lock);
    return is_done;
}
