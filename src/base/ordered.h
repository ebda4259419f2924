// Work items that are taken in order, processed by several threads, and stored in order.
#ifndef TRAWL_BASE_ORDERED_H
#define TRAWL_BASE_ORDERED_H

#include "base/base.h"

// A thread has one item at a time, in its own place, with the number `worker`. It keeps the item
// until its turn to be stored comes, which bounds the work in progress.
struct ordered_work {
    // In order, by one thread at a time. False: nothing is left, or it failed, which `self`
    // records.
    bool (*take)(void *self, unsigned worker);
    // In parallel. `put` reports errors, so that the first one is reported.
    void (*make)(void *self, unsigned worker);
    // In order, by one thread at a time. False: it failed, and nothing more is taken or put.
    bool (*put)(void *self, unsigned worker);
};

// Runs the work with up to `threads` threads, including the calling one. Returns whether everything
// was put.
bool ordered_run(unsigned threads, void *self, const struct ordered_work *work);

#endif
