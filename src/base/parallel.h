// The same work on many items, by several threads.
#ifndef TRAWL_BASE_PARALLEL_H
#define TRAWL_BASE_PARALLEL_H

#include "base/base.h"

// Calls `work` once for each item below `item_count`, from up to `threads` threads (at least 1, at
// most LIMIT_THREADS), the calling one among them; `worker` is below `threads` and says which.
// Items are begun in their order. Where threads cannot be had, fewer do all. If `work` returns
// false, no further item is begun. Returns whether all returned true.
bool parallel_run(unsigned threads, uint64_t item_count, void *self,
                  bool (*work)(void *self, unsigned worker, uint64_t item));

#endif
