// When a thread allocates memory for the first time, jemalloc makes an arena for it, and jemalloc
// 5.3 follows a null pointer if there is no address space for one. So room for an arena is reserved
// before a thread is started, and the thread releases it right before its first allocation. No
// other thread is started before that, and none continues until all have done it, because they
// could use up the room.
#include "base/thread.h"

#include "base/limits.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>

// Several times the size of an arena, because that is aligned.
#define ARENA_BYTES ((size_t)16 << 20)

struct gate {
    sem_t has_asked, opens, has_passed;
    void *(*run)(void *context);
};

struct start {
    struct gate *gate;
    void *context, *room;
};

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ASSERT(errno == EINTR);
}

static void *begin(void *self)
{
    const struct start start = *(struct start *)self;
    void *(*run)(void *) = start.gate->run;
    munmap(start.room, ARENA_BYTES);
    void *volatile first = malloc(1); // volatile: must not be optimized away
    free(first);
    sem_post(&start.gate->has_asked);
    wait_for(&start.gate->opens);
    sem_post(&start.gate->has_passed);
    return run(start.context);
}

// Starts a thread and waits until it has its arena. False: no thread.
static bool start_one(pthread_t *thread, struct start *start)
{
    start->room =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start->room == MAP_FAILED)
        return false;
    if (pthread_create(thread, NULL, begin, start) != 0) {
        munmap(start->room, ARENA_BYTES);
        return false;
    }
    wait_for(&start->gate->has_asked);
    return true;
}

unsigned threads_start(pthread_t *threads, unsigned count, void *(*run)(void *context),
                       void *contexts, size_t context_bytes)
{
    struct start starts[LIMIT_THREADS];
    struct gate gate = {.run = run};
    unsigned started = 0;
    ASSERT(count <= LIMIT_THREADS);
    sem_init(&gate.has_asked, 0, 0);
    sem_init(&gate.opens, 0, 0);
    sem_init(&gate.has_passed, 0, 0);
    for (; started < count; started++) {
        starts[started] = (struct start){&gate, (char *)contexts + started * context_bytes, NULL};
        if (!start_one(&threads[started], &starts[started]))
            break;
    }
    for (unsigned i = 0; i < started; i++)
        sem_post(&gate.opens);
    for (unsigned i = 0; i < started; i++)
        wait_for(&gate.has_passed);
    sem_destroy(&gate.has_asked);
    sem_destroy(&gate.opens);
    sem_destroy(&gate.has_passed);
    return started;
}

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
