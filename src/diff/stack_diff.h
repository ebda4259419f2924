// The stacks of two runs in one tree, matched by name: the contents of a flame graph of their
// difference. Names are not copied, but for those of several builds (build_name_length).
#ifndef TRAWL_DIFF_STACK_DIFF_H
#define TRAWL_DIFF_STACK_DIFF_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "query/stacks.h"

#define STACK_DIFF_NONE UINT32_MAX

// A stack, by its innermost function. Node 0 stands for all, and has no function.
struct stack_node {
    const char *name;
    uint32_t parent, first_child, next_sibling; // STACK_DIFF_NONE: none
    uint32_t depth;                             // of node 0: 0
    bool is_nameless, is_cut;
    uint64_t pc;
    uint64_t self[2], total[2], count[2]; // in each run
};

// All zero is empty.
struct stack_diff {
    VEC(, struct stack_node) nodes;
    struct hash_index by_name;
    VEC(, uint32_t) open; // while stacks are added: the current path, from node 0 on
    int side;             // the run being added
    bool are_builds;      // the runs are of several builds: set after stack_diff_begin
    struct arena names;   // of these
};

enum status stack_diff_begin(struct stack_diff *diff, struct error *err);
void stack_diff_free(struct stack_diff *diff);

// Adds the stacks of one run (diff->side): the walk receives them; call the other two before and
// after it for the function that all of them are below. False: no memory.
struct stack_walk stack_diff_walk(struct stack_diff *diff);
bool stack_diff_enter(struct stack_diff *diff, const char *name);
void stack_diff_leave(struct stack_diff *diff);

// After both runs: adds up, and sorts siblings by name. False: no memory.
bool stack_diff_end(struct stack_diff *diff);

// The node after another in preorder, STACK_DIFF_NONE after the last.
uint32_t stack_diff_next(const struct stack_diff *diff, uint32_t node);

#endif
