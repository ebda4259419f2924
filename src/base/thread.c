// A thread that asks for memory for the first time has jemalloc make it an arena, and jemalloc
// (5.3) follows a null pointer where there is no address space for one. So room for it is taken
// before the thread is started, and given back by the thread right before it asks.
#include "base/thread.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ARENA_BYTES ((size_t)16 << 20) // several times what one takes, which is aligned

struct start {
    void *(*run)(void *context);
    void *context, *room;
};

static void *begin(void *self)
{
    const struct start start = *(struct start *)self;
    munmap(start.room, ARENA_BYTES);
    void *volatile first = malloc(1); // volatile, so that it is not optimized away
    free(first);
    free(self);
    return start.run(start.context);
}

bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return false;
    void *room =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *start = (struct start){run, context, room};
    if (room != MAP_FAILED && pthread_create(thread, NULL, begin, start) == 0)
        return true;
    if (room != MAP_FAILED)
        munmap(room, ARENA_BYTES);
    free(start);
    return false;
}
