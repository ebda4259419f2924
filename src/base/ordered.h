// Work that is taken in order, done by several threads, and put away in order.
#ifndef TRAWL_BASE_ORDERED_H
#define TRAWL_BASE_ORDERED_H

#include "base/base.h"

// A thread has one item in hand, in a place of its own that `worker` numbers. That it waits with it
// for its turn bounds what is under way.
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
