// Removes contexts from a complete tree: those of some functions, together with all that was called
// there and its time. Handlers that interrupted them stay, below the surrounding context.
#ifndef TRAWL_FLOW_CONTEXT_HIDE_H
#define TRAWL_FLOW_CONTEXT_HIDE_H

#include "flow/context_tree.h"

struct context_hiding {
    void *self;
    bool (*hides)(void *self, uint64_t pc);
    uint64_t ticks, calls; // left out; added to
    uint32_t *shown;       // private; all zero to begin with
};

VEC(context_roots, uint32_t);

// Removes hidden contexts below `root` from the tree, and adds the root to `roots`, or, if it is
// hidden, the handlers that interrupted it. Afterwards handlers are no longer marked as such, and
// nothing can be looked up in the tree or folded into it. False: no memory.
bool context_tree_hide(struct context_tree *tree, uint32_t root, struct context_hiding *hiding,
                       struct context_roots *roots);
void context_hiding_free(struct context_hiding *hiding);

#endif
