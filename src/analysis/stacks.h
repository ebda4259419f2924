// The calling context tree in the order of its names, one visit per distinct stack of names: what a
// flame graph shows, as collapsed stacks or as a picture.
#ifndef TRAWL_ANALYSIS_STACKS_H
#define TRAWL_ANALYSIS_STACKS_H

#include "analysis/frame_split.h"
#include "flow/context_tree.h"

// One distinct stack of names. Contexts whose names are the same on every level are one.
struct stack_visit {
    const char *name; // of the innermost function, or its PC as 0x...
    bool is_nameless;
    bool has_below; // stacks below it follow sooner or later
    bool is_cut;    // it is as deep as is wanted, and there are stacks below it
    uint64_t depth; // 0: the root
    uint64_t pc, count, ticks, self_ticks;
    const struct frame_label *label; // where contexts are split (analysis/frame_split.h); else NULL
    uint32_t label_number;
};

enum stack_event {
    STACK_OWN,   // the stack itself
    STACK_ENTER, // the stacks below it follow
    STACK_LEAVE,
};

struct stack_walk {
    void *self;
    bool (*event)(void *self, enum stack_event event, const struct stack_visit *visit);
    const struct frame_label *labels; // of contexts that are split; NULL: they are not
};

// Walks the trees below `roots`, which stand for one outermost level. Own and enter events come in
// the bytewise order of the lines "a;b;c" that the stacks would be written as, as long as no name
// holds a semicolon. Nodes deeper than `depth_max` count as the deepest one's own. False: no
// memory, or the receiver stopped it.
bool stacks_walk(const struct context_tree *tree, const uint32_t *roots, size_t root_count,
                 struct names *names, bool offset_of_root, uint64_t depth_max,
                 const struct stack_walk *walk);

#endif
