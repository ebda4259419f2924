// The profile: figures per function, from the calling context tree.
#ifndef TRAWL_FLOW_PROFILE_H
#define TRAWL_FLOW_PROFILE_H

#include "base/error.h"
#include "flow/context_tree.h"

#define PROFILE_NO_CALLER UINT64_MAX

struct profile_row {
    uint64_t pc;     // entry, with Thumb bit
    uint64_t caller; // that of a function that called it; PROFILE_NO_CALLER: none, or of all
    uint64_t count;
    uint64_t guesses;     // of these, calls of which nothing shows how control came to them
    uint64_t ticks_all;   // over all activations; nested ones count several times
    uint64_t ticks_total; // each moment once, also in a recursion
    uint64_t ticks_self;
    const char *name; // for the caller, like the following
    const char *task; // of one task; NULL: of all
};

struct profile {
    VEC(, struct profile_row) rows; // ascending by pc and caller
};

// Adds up the tree below each of `roots`, down to `depth_max` calls below the root; deeper ones
// count for their ancestor at that depth. `by_caller`: a row for each function and function that
// calls it, or that it interrupts.
enum status profile_make(struct profile *profile, const struct context_tree *tree,
                         const uint32_t *roots, size_t root_count, uint64_t depth_max,
                         bool by_caller, struct error *err);

void profile_free(struct profile *profile);

#endif
