#include "base/large_pages.h"

#include "base/limits.h"
#include "base/spool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef __linux__

#include <sys/prctl.h>

// Addresses only, whose pages come when they are touched; but a limit of memory counts them.
#define ROOM_BYTES ((size_t)64 << 20)

static _Atomic bool is_waiting;

void large_pages_wait(void)
{
    is_waiting =
        prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0 && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;
}

void large_pages_begin(void)
{
    if (!atomic_exchange(&is_waiting, false))
        return;
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    if (memory_limit_bytes() != MEMORY_UNLIMITED)
        return;
    void *volatile room = malloc(ROOM_BYTES); // so that the compiler cannot omit it
    free(room);
}

#else

void large_pages_wait(void) {}

void large_pages_begin(void) {}

#endif
