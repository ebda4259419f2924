// The functions that are open on a stack of calls, for exits of functions that are not on top.
// Finding out whether there is such a call must not require a walk down the stack each time,
// because a damaged log may have millions of exits without entries above a million open calls.
#ifndef TRAWL_TRACE_XRAY_OPEN_FUNCTIONS_H
#define TRAWL_TRACE_XRAY_OPEN_FUNCTIONS_H

#include "base/base.h"
#include "base/hash_seed.h"

struct open_function {
    uint32_t function;
    uint32_t count; // 0: a free slot, or a function without open calls
    bool is_used;
};

// Initialize with zeros. Nothing is counted before the first query.
struct open_functions {
    struct hash_seed seed;
    struct open_function *slots;
    size_t slot_count; // a power of two, or 0
    size_t used_count;
    size_t counted; // number of the stack's calls that were counted, from the outermost on
    bool lacks_memory;
};

// The number of calls from the outermost to the innermost one of `function`, inclusive; 0: none is
// open. The stack has `depth` calls, whose functions are `stride_bytes` apart, beginning at
// `functions`. Each call is counted once, and is walked over only if it is then closed. If there is
// no memory: 0, and open->lacks_memory.
size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function);

// Private to open_functions_closed.
void open_functions_uncount(struct open_functions *open, uint32_t function);

// Must be called after the innermost call, of `function`, was removed; `depth` calls are left.
static ALWAYS_INLINE void open_functions_closed(struct open_functions *open, size_t depth,
                                                uint32_t function)
{
    if (LIKELY(depth >= open->counted))
        return;
    open->counted = depth;
    open_functions_uncount(open, function);
}

// Frees it; it is empty afterwards.
void open_functions_free(struct open_functions *open);

#endif
