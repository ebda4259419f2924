// The calling context tree: one node per distinct stack, with count and time. Profile and flame
// graph are two ways to read it.
//
// It consumes finished calls (flow/call_consumer.h). When a call ends, it is not yet known whether
// its surroundings are calls, so each open call has a small tree of its own, which is merged into
// the surrounding tree when the call ends: the smaller into the larger, n log n steps in total.
#ifndef TRAWL_FLOW_CONTEXT_TREE_H
#define TRAWL_FLOW_CONTEXT_TREE_H

#include "base/base.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/call_consumer.h"

// Which instructions need not be distinguished: for each the first of its kind. The code that knows
// the kinds fills the table when an instruction is first looked up (query/frame_split.h).
struct place_entry {
    uint64_t pc, first; // without Thumb bit
    uint64_t lowest;    // of the instructions that it represents
    bool is_there;
};

struct place_table {
    struct place_entry *entries; // by address, or elsewhere if that slot is taken
    size_t slot_count;           // a power of two, or 0
    uint64_t (*look_up)(void *self, uint64_t pc);
    void *self;
};

static inline size_t place_table_slot(const struct place_table *table, uint64_t pc)
{
    return (size_t)(pc >> 1) & (table->slot_count - 1);
}

// The first of the kind of the instruction at `pc`.
static ALWAYS_INLINE uint64_t place_table_first(const struct place_table *table, uint64_t pc)
{
    if (LIKELY(table->slot_count)) {
        const struct place_entry *entry = &table->entries[place_table_slot(table, pc)];
        if (LIKELY(entry->pc == pc && entry->is_there))
            return entry->first;
    }
    return table->look_up(table->self, pc);
}

#define CONTEXT_NONE 0

// Distinguishes contexts of a function that were entered differently: as the outermost function of
// a task, nobody knows how, and, in a tree that tells handlers, as a handler. Flags.
enum context_kind {
    CONTEXT_TASK = 1,
    CONTEXT_HANDLER = 2,
    CONTEXT_PLACE = 4, // an instruction of the parent's function, with the calls made there
    CONTEXT_GUESS = 8, // nothing shows how control came to it (CALL_GUESSED)
};

struct context_node {
    uint64_t pc;           // entry, with Thumb bit
    uint64_t count : 60;   // calls; for a place, executions
    uint64_t kind : 4;     // enum context_kind
    uint64_t ticks;        // sum of exit time - entry time
    uint64_t ticks_inside; // the part spent in calls from here
    uint32_t parent, first_child, next_sibling, previous_sibling;
    uint32_t child_count;
    // The child last found by context_tree_enter, or for places; it may have another parent by now.
    uint32_t recent_child;
};

struct context_tree {
    VEC(, struct context_node) nodes; // index 0 is not a node
    uint32_t free;                    // list of unused nodes, by next_sibling
    struct hash_seed seed;
    uint32_t *slots; // hash of (parent, kind, pc) to node
    size_t slot_count, used_count;
    // Instructions have their own contexts (CONTEXT_PLACE). Their ticks are those of the
    // instruction itself, not those of calls made there, and are not part of the function's
    // `ticks_inside`. Only shadow_stack.h reports instructions.
    bool tells_places;
    const struct place_table *places; // instructions that need not be distinguished; NULL: all are
    bool tells_handlers;              // handlers have their own contexts (CONTEXT_HANDLER)
    bool has_tasks;
    VEC(, uint64_t) work; // pairs of nodes still to be merged
};

// False: no memory.
bool context_tree_init(struct context_tree *tree);
void context_tree_free(struct context_tree *tree);

// For callers that know each call when it begins, and build from the root down: the child of
// `parent` with this pc and no kind, made if there is none; with `parent` CONTEXT_NONE, a new root.
// CONTEXT_NONE: no memory.
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

// Copies all below `root` of `from` into `tree`, below a new root, without contexts that have no
// calls. What happened outside of all calls, for context_tree_root, goes to `outermost`. False: no
// memory.
bool context_tree_graft(struct context_tree *tree, const struct context_tree *from, uint32_t root,
                        struct call_content *outermost);

// For pass_options. `tree` must not move.
struct call_consumer context_tree_consumer(struct context_tree *tree);

// Turns what happened outside of all calls into a tree: a node for the root activation, from entry
// to exit. CONTEXT_NONE: no memory. Several lanes give several roots.
uint32_t context_tree_root(struct context_tree *tree, const struct call_content *outermost,
                           const struct node_ref *entry, const struct node_ref *exit);

// Removes the next task from the children of `root` and makes it a root. *next: where to continue,
// nodes[root].first_child at first. CONTEXT_NONE: there is none.
uint32_t context_tree_take_task(struct context_tree *tree, uint32_t root, uint32_t *next);

// The context after `at` in preorder, of `root` and those below it; `passes_over` skips those below
// `at`. CONTEXT_NONE: there is none.
uint32_t context_tree_next(const struct context_tree *tree, uint32_t root, uint32_t at,
                           bool passes_over);

static inline uint64_t context_self_ticks(const struct context_node *node)
{
    return node->ticks - node->ticks_inside;
}

#endif
