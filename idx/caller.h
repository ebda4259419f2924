// Structures of the caller, who may have been compiled with another version of trawl.h: later ones
// add fields at the end. Private to the reader.
#ifndef TRAWL_IDX_CALLER_H
#define TRAWL_IDX_CALLER_H

#include "base/base.h"

// Gives as much of it as the caller has room for, and zeros for what the caller has besides.
static inline void caller_give(void *theirs, size_t their_bytes, const void *ours, size_t our_bytes)
{
    memset(theirs, 0, their_bytes);
    memcpy(theirs, ours, their_bytes < our_bytes ? their_bytes : our_bytes);
}

// Takes what the caller has of it, and zeros for the rest.
static inline void caller_take(void *ours, size_t our_bytes, const void *theirs, size_t their_bytes)
{
    caller_give(ours, our_bytes, theirs, their_bytes);
}

#endif
