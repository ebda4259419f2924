// How often and how long each stack of an XRay log was: a tree of stacks for each thread.
//
// An exit of a function further down the stack ends all calls above it too; one of a function that
// is not on the stack is counted as unmatched, and changes nothing.
#ifndef TRAWL_TRACE_XRAY_STACKS_H
#define TRAWL_TRACE_XRAY_STACKS_H

#include "base/error.h"
#include "base/hash_seed.h"
#include "base/vec.h"
#include "trace/xray/hiding.h"

// No node. Node 0 of a tree is the empty stack.
#define XRAY_NO_STACK UINT32_MAX

// Calls of one stack.
struct xray_stack_sum {
    uint64_t count, ticks;
};

struct xray_stack {
    uint32_t function, parent;
    uint64_t path;                // xray_path of it: where to look for it
    struct xray_stack_sum leaves; // calls that made no other
    struct xray_stack_sum inner;  // calls that did
    // If asked for, ticks of calls that ended inside of calls of this stack: of those that ended,
    // and of the one that is open. A thread has one at most, as a stack is that of all calls around
    // it.
    uint64_t inside_ticks, inside_open_ticks;
};
_Static_assert(sizeof(struct xray_stack) == 64, "a stack is in one line of the cache");

// Where to go from a stack; XRAY_NO_STACK: nowhere.
struct xray_stack_links {
    uint32_t newest_child, older_sibling;
};

struct xray_stack_slot {
    uint32_t stack; // 0 is a free slot
    uint32_t tag;   // low half of its path
};

// All zero is no tree yet; xray_stacks_begin begins it. A parent is before its children. Fields
// are for reading.
struct xray_stack_tree {
    VEC(, struct xray_stack) stacks;
    struct xray_stack_links *links; // of each stack, by xray_stacks_link; NULL before
    struct hash_seed seed;          // of the paths
    struct xray_stack_slot *slots;  // by path
    size_t slot_count;
    unsigned shift;
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage damage;
};

// Builds the tree of each thread of the log, in parallel; `trees` has one for each. `has_inside`:
// inside_ticks are asked for; `hider` NULL: no calls are left out. False: no memory. Either way
// each is freed by xray_stacks_free.
bool xray_stacks_run(const struct xray_log *log, unsigned threads, bool has_inside,
                     const struct xray_hider *hider, struct xray_stack_tree *trees);

// The child of a stack of a tree that has its node 0, made if need be; XRAY_NO_STACK: no memory.
// `path` is the xray_path of the parent's and the function.
uint32_t xray_stack_by_path(struct xray_stack_tree *tree, uint32_t parent, uint32_t function,
                            uint64_t path);

// The stacks of the entries of a batch with paths, made if need be, are put into `entered`; calls
// that are still open have them as their places then. False: no memory.
bool xray_stacks_of_batch(struct xray_stack_tree *tree, struct xray_match *match,
                          const struct xray_batch *batch, uint32_t entered[XRAY_BATCH]);

// The stack of a call by its place, which may be the number of an entry of the batch. Whether it is
// cannot be foretold, so both are loaded.
static ALWAYS_INLINE uint32_t xray_stack_of(const uint32_t entered[XRAY_BATCH], uint32_t place)
{
    uint32_t stack = entered[place % XRAY_BATCH];
    return place & XRAY_SLOT_NEW ? stack : place;
}

// Makes node 0 of an empty tree. False: no memory.
bool xray_stacks_begin(struct xray_stack_tree *tree);

// Adds all stacks of `other` to `tree`. False: no memory.
bool xray_stacks_merge(struct xray_stack_tree *tree, const struct xray_stack_tree *other);

// Makes the links of a tree that is complete. False: no memory.
bool xray_stacks_link(struct xray_stack_tree *tree);

void xray_stacks_free(struct xray_stack_tree *tree);

#endif
