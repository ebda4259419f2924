// The profile: figures per function, from the calling context tree.
#ifndef TRAWL_FLOW_PROFILE_H
#define TRAWL_FLOW_PROFILE_H

#include "base/error.h"
#include "flow/context_tree.h"

struct profile_row {
    uint64_t pc; // entry, with Thumb bit
    uint64_t count;
    uint64_t ticks_all;   // over all activations, those inside one another counted twice
    uint64_t ticks_total; // each moment once, however deep the function is in itself
    uint64_t ticks_self;
    const char *name; // for the caller, as what follows
    const char *task; // that it is of; NULL: of any
};

struct profile {
    VEC(, struct profile_row) rows; // ascending by pc
};

// Adds up the tree below each of `roots`, down to `depth_max` calls below the root; what lies
// deeper counts as the deepest function's own.
enum status profile_make(struct profile *profile, const struct context_tree *tree,
                         const uint32_t *roots, size_t root_count, uint64_t depth_max,
                         struct error *err);

void profile_free(struct profile *profile);

#endif
