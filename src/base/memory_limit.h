// The limit of memory that the process may take for itself: heap, stacks, and writable mappings
// without a file. Pages of mapped files are not counted, because the kernel reclaims them when
// memory is short.
#ifndef TRAWL_BASE_MEMORY_LIMIT_H
#define TRAWL_BASE_MEMORY_LIMIT_H

#include "base/base.h"

#define MEMORY_UNLIMITED UINT64_MAX

// From now on, the kernel refuses more memory than that. A lower existing limit stays. False: not
// possible.
bool memory_limit_set(uint64_t bytes);

// The limit, or MEMORY_UNLIMITED if there is none.
uint64_t memory_limit_bytes(void);

#endif
