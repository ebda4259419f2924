// Which functions are open on a stack of calls, for exits of functions that are not on top: finding
// out whether there is such a call must not take a walk down the stack each time, because a damaged
// log may have millions of exits without entries above a million open calls.
#ifndef TRAWL_TRACE_XRAY_OPEN_FUNCTIONS_H
#define TRAWL_TRACE_XRAY_OPEN_FUNCTIONS_H

#include "base/base.h"
#include "base/hash_seed.h"

struct open_function {
    uint32_t function;
    uint32_t count; // 0: a free slot, or one that nothing is open of
    bool is_used;
};

// All zero to begin with. Nothing is counted before it is asked for.
struct open_functions {
    struct hash_seed seed;
    struct open_function *slots;
    size_t slot_count; // a power of two, or 0
    size_t used_count;
    size_t counted; // of the stack's calls, from the outermost on
    bool lacks_memory;
};

// How many calls, counted from the outermost, are left below and with the innermost one of
// `function`; 0: none is open. The stack has `depth` calls, whose functions stand `stride_bytes`
// apart from `functions` on. Each call is counted once, and walked over only to be closed. Without
// memory: 0, and open->lacks_memory.
size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function);

// Private to open_functions_closed.
void open_functions_uncount(struct open_functions *open, uint32_t function);

// To be called when the innermost call, of `function`, has been taken off: `depth` are left.
static ALWAYS_INLINE void open_functions_closed(struct open_functions *open, size_t depth,
                                                uint32_t function)
{
    if (LIKELY(depth >= open->counted))
        return;
    open->counted = depth;
    open_functions_uncount(open, function);
}

// Frees it, and has it empty.
void open_functions_free(struct open_functions *open);

#endif
