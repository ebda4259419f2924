// Structures of the caller, which may have been compiled with another version of trawl.h; later
// versions add fields at the end. Private to the reader.
#ifndef TRAWL_IDX_CALLER_H
#define TRAWL_IDX_CALLER_H

#include "base/base.h"

// Copies as much as fits into the caller's structure, and fills the rest of that with zeros.
static inline void caller_give(void *theirs, size_t their_bytes, const void *ours, size_t our_bytes)
{
    memset(theirs, 0, their_bytes);
    memcpy(theirs, ours, their_bytes < our_bytes ? their_bytes : our_bytes);
}

// Copies what the caller supplied, and fills the rest with zeros.
static inline void caller_take(void *ours, size_t our_bytes, const void *theirs, size_t their_bytes)
{
    caller_give(ours, our_bytes, theirs, their_bytes);
}

#endif
