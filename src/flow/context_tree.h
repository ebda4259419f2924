// The calling context tree: one node per distinct stack, with how often and how long. Profile and
// flame graph are two ways to read it.
//
// It consumes finished calls (flow/call_consumer.h). Whether a call's surroundings are calls
// themselves is not known yet when it ends, so each open call gathers a little tree of its own,
// which is merged into the surrounding tree when it ends: the smaller into the larger, n log n
// steps in all.
#ifndef TRAWL_FLOW_CONTEXT_TREE_H
#define TRAWL_FLOW_CONTEXT_TREE_H

#include "base/hash_seed.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
#include "flow/place_table.h"

#define CONTEXT_NONE 0

// What sets contexts of one function apart that were not reached alike: the outermost function of a
// task, and, in a tree that tells handlers, a handler. Flags.
enum context_kind {
    CONTEXT_TASK = 1,
    CONTEXT_HANDLER = 2,
    CONTEXT_PLACE = 4, // an instruction of the function around it, and what was called from there
};

struct context_node {
    uint64_t pc;           // entry, with Thumb bit
    uint64_t count : 61;   // calls; of a place, how often it was executed
    uint64_t kind : 3;     // enum context_kind
    uint64_t ticks;        // sum of exit time - entry time
    uint64_t ticks_inside; // the part of it spent in calls from here
    uint32_t parent, first_child, next_sibling, previous_sibling;
    uint32_t child_count;
    // The last one that context_tree_enter found, or of places; may be of another by now.
    uint32_t recent_child;
};

struct context_tree {
    VEC(, struct context_node) nodes; // index 0 is no node
    uint32_t free;                    // list of unused nodes, by next_sibling
    struct hash_seed seed;
    uint32_t *slots; // hash of (parent, kind, pc) to node
    size_t slot_count, used_count;
    // Instructions are contexts of their own (CONTEXT_PLACE): their ticks are those that they took
    // themselves, and are not among the `ticks_inside` of the function, nor those of what was
    // called from there. Only matching by shadow_stack.h tells of them.
    bool tells_places;
    const struct place_table *places; // where some need not be told apart; NULL: all are
    bool tells_handlers; // calls of handlers are contexts of their own (CONTEXT_HANDLER)
    bool has_tasks;
    VEC(, uint64_t) work; // pairs of nodes still to be merged
};

// False: no memory.
bool context_tree_init(struct context_tree *tree);
void context_tree_free(struct context_tree *tree);

// For those who know of each call when it begins, and build from the root down: the child of
// `parent` with this pc, of no kind, which is made if there is none; `parent` CONTEXT_NONE makes a
// root. CONTEXT_NONE: no memory.
uint32_t context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t pc);

// The child of `parent` that is a place (CONTEXT_PLACE), likewise.
uint32_t context_tree_place(struct context_tree *tree, uint32_t parent, uint64_t pc);

static ALWAYS_INLINE uint32_t context_tree_enter(struct context_tree *tree, uint32_t parent,
                                                 uint64_t pc)
{
    uint32_t recent = tree->nodes.items[parent].recent_child;
    return LIKELY(recent && tree->nodes.items[recent].pc == pc)
               ? recent
               : context_tree_child(tree, parent, pc);
}

// A call of this context ended; `node` is no root.
static ALWAYS_INLINE void context_tree_leave(struct context_tree *tree, uint32_t node,
                                             uint64_t ticks)
{
    struct context_node *left = &tree->nodes.items[node];
    left->count++;
    left->ticks += ticks;
    tree->nodes.items[left->parent].ticks_inside += ticks;
}

// Copies what is below `root` of `from` into `tree`, below a new root, leaving out contexts without
// calls. What happened outside of every call, for context_tree_root, goes to `outermost`. False: no
// memory.
bool context_tree_graft(struct context_tree *tree, const struct context_tree *from, uint32_t root,
                        struct call_content *outermost);

// For pass_options. `tree` must stay where it is.
struct call_consumer context_tree_consumer(struct context_tree *tree);

// Turns what happened outside of every call into a tree: a node for the root activation, from entry
// to exit. CONTEXT_NONE without memory. Several lanes give several roots.
uint32_t context_tree_root(struct context_tree *tree, const struct call_content *outermost,
                           const struct node_ref *entry, const struct node_ref *exit);

// Takes the next task among the children of `root` out of it, as a root of its own. *next: where to
// go on, nodes[root].first_child at first. CONTEXT_NONE: there is none.
uint32_t context_tree_take_task(struct context_tree *tree, uint32_t root, uint32_t *next);

// The context after `at` in preorder, of those below `root`, which comes first; without those below
// `at` where `passes_over`. CONTEXT_NONE: there is none.
uint32_t context_tree_next(const struct context_tree *tree, uint32_t root, uint32_t at,
                           bool passes_over);

static inline uint64_t context_self_ticks(const struct context_node *node)
{
    return node->ticks - node->ticks_inside;
}

#endif
