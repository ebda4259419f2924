// The set of pending calls: found by (SP, return address), dropped from the lowest SP up.
#ifndef TRAWL_FLOW_PENDING_H
#define TRAWL_FLOW_PENDING_H

#include "base/base.h"
#include "base/hash_index.h"

struct pending_call {
    uint64_t sp;
    uint64_t return_address;
    uint32_t item; // the caller's handle
};

// Most transfers are not returns: no pending call returns to their target.
#define PENDING_FILTER_COUNT 256

// All zero is an empty set.
struct pending_set {
    uint32_t *filter; // calls by some bits of their return address; NULL: none was added yet
    // Open addressing by (sp, return_address); a slot is free when its item is PENDING_NONE.
    struct pending_call *slots;
    struct hash_seed seed;
    size_t slot_count; // a power of two, or 0
    size_t count;
    // A binary heap, lowest SP first. Entries of removed calls stay until they reach the top or the
    // heap is swept, so it is never much more than twice as large as the set.
    struct pending_call *heap;
    size_t heap_count, heap_capacity;
};

#define PENDING_NONE UINT32_MAX

// The item pending at the key, or PENDING_NONE.
uint32_t pending_find(const struct pending_set *set, uint64_t sp, uint64_t return_address);

// Adds a call whose key is not there. False: no memory.
bool pending_add(struct pending_set *set, const struct pending_call *call);

// Removes the call of a key that is there.
void pending_remove(struct pending_set *set, uint64_t sp, uint64_t return_address);

// Removes one call whose SP is below `sp` and returns its item; PENDING_NONE: there is none.
uint32_t pending_pop_below(struct pending_set *set, uint64_t sp);

void pending_free(struct pending_set *set);

#endif
