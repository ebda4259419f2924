// Names that a thread asked for of late: those of functions are asked for again and again, and
// `names` may be asked by one thread at a time.
#ifndef TRAWL_ANALYSIS_NAMES_AT_HAND_H
#define TRAWL_ANALYSIS_NAMES_AT_HAND_H

#include "analysis/names.h"

#include <pthread.h>

#define NAMES_AT_HAND_BITS 8

struct name_at_hand {
    uint64_t pc;
    const char *name; // NULL: none was asked for
};

struct names_at_hand {
    struct names *names;
    const char *(*find)(struct names *names, uint64_t pc); // names_of, or what makes more of it
    pthread_mutex_t *lock;                                 // of `names`; NULL: there is one thread
    struct name_at_hand items[1 << NAMES_AT_HAND_BITS];
};

// What `find` returns.
const char *name_at_hand(struct names_at_hand *at_hand, uint64_t pc);

// What another `find` returns, which is not kept.
const char *name_asked_for(const struct names_at_hand *at_hand,
                           const char *(*find)(struct names *names, uint64_t pc), uint64_t pc);

#endif
