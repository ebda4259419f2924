// A set of 64-bit hashes, such as those of messages already shown. It only grows, up to a limit of
// its owner.
#ifndef TRAWL_BASE_HASHSET_H
#define TRAWL_BASE_HASHSET_H

#include "base/hash_index.h"

// All zero is an empty set.
struct hashset {
    uint64_t *slots; // 0 is a free slot
    size_t slot_count, count;
    struct hash_seed seed;
};

// Adds `hash` and stores in *is_new whether it is new. False: no memory.
bool hashset_add(struct hashset *set, uint64_t hash, bool *is_new);

bool hashset_has(const struct hashset *set, uint64_t hash);

// Empties the set and keeps its memory.
void hashset_clear(struct hashset *set);
void hashset_free(struct hashset *set);

#endif
