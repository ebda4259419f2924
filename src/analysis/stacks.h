// The calling context tree in the order of its names, one visit per distinct stack of names: the
// contents of a flame graph, as collapsed stacks or as a picture.
#ifndef TRAWL_ANALYSIS_STACKS_H
#define TRAWL_ANALYSIS_STACKS_H

#include "analysis/frame_split.h"
#include "flow/context_tree.h"

// One distinct stack of names. Contexts with the same names on every level are combined.
struct stack_visit {
    const char *name; // of the innermost function, or its PC as 0x...
    bool is_nameless;
    bool has_below; // stacks below it follow later
    bool is_cut;    // at the maximum depth, with stacks below it
    uint64_t depth; // 0: the root
    uint64_t pc, count, ticks, self_ticks;
    const struct frame_label *label; // if contexts are split (analysis/frame_split.h), otherwise
                                     // NULL
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
    const struct frame_label *labels; // of split contexts; NULL: not split
};

// Walks the trees below `roots`, which together are the outermost level. Own and enter events come
// in the bytewise order of the lines "a;b;c" that the stacks would be written as, if no name
// contains a semicolon. Nodes deeper than `depth_max` count for their ancestor at that depth.
// False: no memory, or the receiver stopped it.
bool stacks_walk(const struct context_tree *tree, const uint32_t *roots, size_t root_count,
                 struct names *names, bool offset_of_root, uint64_t depth_max,
                 const struct stack_walk *walk);

#endif
