// Additional threads for a job whose caller does its own part, or all of it if no threads can be
// created.
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>

// Starts up to `count` threads (at most LIMIT_THREADS), to be joined with pthread_join. Returns how
// many were started: fewer if threads or memory for them are not available. Thread i calls `run`
// with the context at i * context_bytes in `contexts`.
unsigned threads_start(pthread_t *threads, unsigned count, void *(*run)(void *context),
                       void *contexts, size_t context_bytes);

// --- Items ---------------------------------------------------------------------------------------

// The same work on many items, by several threads.

// Calls `work` once for each item below `item_count`, from up to `threads` threads (at least 1, at
// most LIMIT_THREADS), including the calling one; `worker` is the number of the thread, below
// `threads`. Items are started in order. If threads cannot be created, fewer do all the work. If
// `work` returns false, no further item is started. Returns whether all calls returned true.
bool parallel_run(unsigned threads, uint64_t item_count, void *self,
                  bool (*work)(void *self, unsigned worker, uint64_t item));

#endif
