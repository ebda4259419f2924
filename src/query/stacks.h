// The calling context tree in the order of its names, one visit per distinct stack of names: the
// contents of a flame graph, as collapsed stacks or as a picture.
#ifndef TRAWL_QUERY_STACKS_H
#define TRAWL_QUERY_STACKS_H

#include "flow/context_tree.h"
#include "names/names.h"
#include "query/frame_split.h"

// One distinct stack of names. Contexts with the same names on every level are combined.
struct stack_visit {
    const char *name; // of the innermost function, or its PC as 0x...
    bool is_nameless;
    bool is_guess;  // the name says so, too
    bool has_below; // stacks below it follow later
    bool is_cut;    // at the maximum depth, with stacks below it
    uint64_t depth; // 0: the root
    uint64_t pc, count, ticks, self_ticks;
    uint64_t size;                   // contexts in it and below it, if `sizes` requests it
    const struct frame_label *label; // if contexts are split (query/frame_split.h), otherwise
                                     // NULL
    uint32_t label_number;
};

enum stack_event {
    STACK_OWN,   // the stack itself
    STACK_ENTER, // the stacks below it follow
    STACK_LEAVE,
    STACK_END,       // of a walk in steps
    STACK_NO_MEMORY, // the same
};

// What is walked, and how.
struct stacks {
    const struct context_tree *tree;
    struct names *names;
    const struct frame_label *labels; // of contexts that are split; NULL: they are not
    bool offset_of_root;
    uint64_t depth_max;    // what is deeper counts as own of the deepest
    const uint32_t *sizes; // by context_sizes; NULL: nobody asks for them
};

struct stack_walk {
    void *self;
    bool (*event)(void *self, enum stack_event event, const struct stack_visit *visit);
};

// Walks the trees below `roots`, which together are the outermost level. Own and enter events come
// in the bytewise order of the lines "a;b;c" that the stacks would be written as, if no name
// contains a semicolon. False: no memory, or the receiver stopped it.
bool stacks_walk(const struct stacks *stacks, const uint32_t *roots, size_t root_count,
                 const struct stack_walk *walk);

// --- In steps ------------------------------------------------------------------------------------

// For those who share a walk between threads: one passes over parts of it, which others walk.
VEC(stack_nodes, uint32_t);
struct stack_entry;
struct stack_level;

// Fields are private.
struct stack_walker {
    struct stacks stacks;
    struct names_at_hand names;
    uint64_t depth; // of the outermost level
    VEC(, struct stack_entry) entries;
    VEC(, struct stack_level) levels;
};

// `lock` is for the names, which other threads ask for, too; NULL: there are none.
void stack_walker_init(struct stack_walker *walker, const struct stacks *stacks,
                       pthread_mutex_t *lock);
void stack_walker_free(struct stack_walker *walker);

// Begins a walk, after another has ended: of trees, or of what is below contexts, whose depth is
// then `depth`. False: no memory.
bool stack_walker_begin(struct stack_walker *walker, const uint32_t *roots, size_t root_count);
bool stack_walker_begin_below(struct stack_walker *walker, const uint32_t *nodes, size_t count,
                              uint64_t depth);

// The next event, as stacks_walk has them, until STACK_END.
enum stack_event stack_walker_next(struct stack_walker *walker, struct stack_visit *visit);

// After STACK_ENTER: passes over the stacks below, so that STACK_LEAVE is next, and adds the
// contexts that they are below to `nodes`. False: no memory.
bool stack_walker_pass(struct stack_walker *walker, struct stack_nodes *nodes);

// Stores in sizes[node], for each context at or below `root`, how many there are at or below it.
void context_sizes(const struct context_tree *tree, uint32_t root, uint32_t *sizes);

#endif
