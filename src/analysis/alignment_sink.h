// The receiver of an alignment.
#ifndef TRAWL_ANALYSIS_ALIGNMENT_SINK_H
#define TRAWL_ANALYSIS_ALIGNMENT_SINK_H

#include "base/error.h"

// What an alignment finds, in order and without gaps.
struct alignment_sink {
    void *self;
    // `count` keys that are the same, from at[0] and at[1] on.
    enum status (*same)(void *self, const uint64_t at[2], uint64_t count, struct error *err);
    // Keys that only one of the two has. `is_rough`: there were too many to be compared in detail,
    // so keys that both have are among them.
    enum status (*apart)(void *self, const uint64_t at[2], const uint64_t counts[2], bool is_rough,
                         struct error *err);
};

#endif
