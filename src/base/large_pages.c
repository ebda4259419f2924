#include "base/large_pages.h"

#include <stdatomic.h>
#include <stdbool.h>

#ifdef __linux__

#include <sys/prctl.h>

static _Atomic bool is_waiting;

void large_pages_wait(void)
{
    is_waiting =
        prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0 && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;
}

void large_pages_begin(void)
{
    if (atomic_exchange(&is_waiting, false))
        prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

#else

void large_pages_wait(void) {}

void large_pages_begin(void) {}

#endif
