// Which functions are open on a stack of calls, for exits of functions that are not on top: whether
// there is such a call at all must not cost a walk down the stack each time, as a damaged log may
// have millions of exits without entries above a million open calls.
#ifndef TRAWL_ANALYSIS_OPEN_FUNCTIONS_H
#define TRAWL_ANALYSIS_OPEN_FUNCTIONS_H

#include "analysis/latency.h"

// All zero to begin with. Nothing is counted before it is asked for.
struct open_functions {
    struct latency_table counts; // of open calls, by function
    size_t counted;              // of the stack's calls, from the outermost on
};

// How many calls, counted from the outermost, are left below and with the innermost one of
// `function`; 0: none is open. The stack has `depth` calls, whose functions stand `stride_bytes`
// apart from `functions` on. Each call is counted once, and walked over only to be closed. Without
// memory: 0.
size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function);

// To be called when the innermost call, of `function`, has been taken off: `depth` are left.
static ALWAYS_INLINE void open_functions_closed(struct open_functions *open, size_t depth,
                                                uint32_t function)
{
    if (LIKELY(depth >= open->counted))
        return;
    open->counted = depth;
    struct latency *row = latency_row(&open->counts, function);
    if (row)
        row->count--;
}

static inline void open_functions_free(struct open_functions *open)
{
    latency_table_free(&open->counts);
    open->counted = 0;
}

#endif
