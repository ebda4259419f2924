// Work items that are taken in order, processed by several threads, and stored in order.
#ifndef TRAWL_BASE_ORDERED_H
#define TRAWL_BASE_ORDERED_H

#include "base/base.h"

// A thread has one item at a time, in its own place, which `worker` numbers. It keeps the item
// until its turn comes, which bounds the work in progress.
struct ordered_work {
    // In order, one at a time. False: there is none left, or it failed, which `self` remembers.
    bool (*take)(void *self, unsigned worker);
    // In parallel. What goes wrong is for `put` to tell, so that the first failure is reported.
    void (*make)(void *self, unsigned worker);
    // In order, one at a time. False: it failed, and nothing more is taken or put.
    bool (*put)(void *self, unsigned worker);
};

// Runs it by up to `threads` threads, the calling one among them. Returns whether all was put.
bool ordered_run(unsigned threads, void *self, const struct ordered_work *work);

#endif
