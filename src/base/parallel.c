#include "base/parallel.h"

#include "base/limits.h"
#include "base/thread.h"

struct crew {
    void *self;
    bool (*work)(void *self, unsigned worker, uint64_t item);
    uint64_t item_count, next_item; // next_item is shared by all threads
    bool has_failed;
};

struct member {
    struct crew *crew;
    unsigned worker;
};

static void *run_member(void *context)
{
    const struct member *member = context;
    struct crew *crew = member->crew;
    while (!__atomic_load_n(&crew->has_failed, __ATOMIC_RELAXED)) {
        uint64_t item = __atomic_fetch_add(&crew->next_item, 1, __ATOMIC_RELAXED);
        if (item >= crew->item_count)
            break;
        if (!crew->work(crew->self, member->worker, item))
            __atomic_store_n(&crew->has_failed, true, __ATOMIC_RELAXED);
    }
    return NULL;
}

bool parallel_run(unsigned threads, uint64_t item_count, void *self,
                  bool (*work)(void *self, unsigned worker, uint64_t item))
{
    struct crew crew = {self, work, item_count, 0, false};
    struct member members[LIMIT_THREADS];
    pthread_t handles[LIMIT_THREADS];
    unsigned wanted = (unsigned)u64_min(u64_min(threads, LIMIT_THREADS), item_count);
    unsigned started = 0;
    members[0] = (struct member){&crew, 0};
    for (unsigned i = 1; i < wanted; i++)
        members[i] = (struct member){&crew, i};
    if (wanted > 1)
        started = threads_start(handles, wanted - 1, run_member, &members[1], sizeof members[1]);
    run_member(&members[0]);
    while (started)
        pthread_join(handles[--started], NULL);
    return !crew.has_failed;
}
