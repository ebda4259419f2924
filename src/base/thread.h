// Further threads of a job whose caller does its part, and all of it where no others are to be had.
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>

// Starts up to `count` threads (LIMIT_THREADS at most), for pthread_join, and returns how many
// there are: fewer where they, or memory for them, are not to be had. Thread i calls `run` with
// what lies i * context_bytes after `contexts`.
unsigned threads_start(pthread_t *threads, unsigned count, void *(*run)(void *context),
                       void *contexts, size_t context_bytes);

#endif
