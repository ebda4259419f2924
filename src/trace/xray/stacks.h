// How often each stack of an XRay log occurred and how long: a tree of stacks for each thread.
//
// An exit of a function further down the stack also ends all calls above it. An exit of a function
// that is not on the stack is counted as unmatched, and has no effect.
#ifndef TRAWL_TRACE_XRAY_STACKS_H
#define TRAWL_TRACE_XRAY_STACKS_H

#include "base/error.h"
#include "base/hash_seed.h"
#include "base/vec.h"
#include "trace/xray/hiding.h"

// No stack. Node 0 of a tree is the empty stack.
#define XRAY_NO_STACK UINT32_MAX

// The calls with one stack.
struct xray_stack_sum {
    uint64_t count, ticks;
};

struct xray_stack {
    uint32_t function, parent;
    uint64_t path;                // its xray_path, used to find it
    struct xray_stack_sum leaves; // calls that made no other calls
    struct xray_stack_sum inner;  // calls that did
    // If requested, the ticks of calls that ended inside calls with this stack: inside those that
    // ended, and inside the open one. A thread has at most one open call with a stack, because the
    // stack includes all surrounding calls.
    uint64_t inside_ticks, inside_open_ticks;
};
_Static_assert(sizeof(struct xray_stack) == 64, "a stack is in one line of the cache");

// Links from a stack; XRAY_NO_STACK: none.
struct xray_stack_links {
    uint32_t newest_child, older_sibling;
};

struct xray_stack_slot {
    uint32_t stack; // 0: a free slot
    uint32_t tag;   // low half of the stack's path
};

// All zero: no tree yet; xray_stacks_begin begins it. Parents come before their children. Fields
// are read-only for users.
struct xray_stack_tree {
    VEC(, struct xray_stack) stacks;
    struct xray_stack_links *links; // one for each stack, made by xray_stacks_link; otherwise NULL
    struct hash_seed seed;          // of the paths
    struct xray_stack_slot *slots;  // by path
    size_t slot_count;
    unsigned shift;
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage damage;
};

// Builds the tree of each thread of the log, in parallel; `trees` has one for each. `has_inside`:
// inside_ticks are requested; `hider` NULL: no calls are hidden. False: no memory. Free each with
// xray_stacks_free in any case.
bool xray_stacks_run(const struct xray_log *log, unsigned threads, bool has_inside,
                     const struct xray_hider *hider, struct xray_stack_tree *trees);

// The child of a stack, added if necessary; the tree must have its node 0. XRAY_NO_STACK: no
// memory. `path` is the xray_path of the parent's path and the function.
uint32_t xray_stack_by_path(struct xray_stack_tree *tree, uint32_t parent, uint32_t function,
                            uint64_t path);

// Finds the stacks of the entries of a batch with paths, added if necessary, and stores them in
// `entered`. Calls that are still open get their stacks as places. False: no memory.
bool xray_stacks_of_batch(struct xray_stack_tree *tree, struct xray_match *match,
                          const struct xray_batch *batch, uint32_t entered[XRAY_BATCH]);

// The stack of a call with this place, which may be the number of an entry of the batch. That is
// unpredictable, so both are loaded.
static ALWAYS_INLINE uint32_t xray_stack_of(const uint32_t entered[XRAY_BATCH], uint32_t place)
{
    uint32_t stack = entered[place % XRAY_BATCH];
    return place & XRAY_SLOT_NEW ? stack : place;
}

// Makes node 0 of an empty tree. False: no memory.
bool xray_stacks_begin(struct xray_stack_tree *tree);

// Adds all stacks of `other` to `tree`. False: no memory.
bool xray_stacks_merge(struct xray_stack_tree *tree, const struct xray_stack_tree *other);

// Makes the links of a complete tree. False: no memory.
bool xray_stacks_link(struct xray_stack_tree *tree);

void xray_stacks_free(struct xray_stack_tree *tree);

#endif
