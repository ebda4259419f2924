// How much memory the process may take for itself: heap, stacks, what is mapped to be written and
// is no file. Pages of files that are mapped are not counted, as the kernel takes them back when it
// is short of memory.
#ifndef TRAWL_BASE_MEMORY_LIMIT_H
#define TRAWL_BASE_MEMORY_LIMIT_H

#include "base/base.h"

#define MEMORY_UNLIMITED UINT64_MAX

// Has the kernel refuse what goes beyond that, from here on. A limit that is lower already stays.
// False: it cannot.
bool memory_limit_set(uint64_t bytes);

// What it is: MEMORY_UNLIMITED if there is none.
uint64_t memory_limit_bytes(void);

#endif
