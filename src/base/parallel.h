// The same work on many items, by several threads.
#ifndef TRAWL_BASE_PARALLEL_H
#define TRAWL_BASE_PARALLEL_H

#include "base/base.h"

// Calls `work` once for each item below `item_count`, from up to `threads` threads (at least 1, at
// most LIMIT_THREADS), including the calling one; `worker` is the number of the thread, below
// `threads`. Items are started in order. If threads cannot be created, fewer do all the work. If
// `work` returns false, no further item is started. Returns whether all calls returned true.
bool parallel_run(unsigned threads, uint64_t item_count, void *self,
                  bool (*work)(void *self, unsigned worker, uint64_t item));

#endif
