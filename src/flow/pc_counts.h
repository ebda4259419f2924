// How often the instruction at each PC was executed, and skipped by its condition.
#ifndef TRAWL_FLOW_PC_COUNTS_H
#define TRAWL_FLOW_PC_COUNTS_H

#include "base/hash_seed.h"

struct pc_count {
    uint64_t pc; // without Thumb bit
    uint64_t executed, skipped;
};

// All zero is empty. A slot is free while both of its counts are 0.
struct pc_counts {
    struct pc_count *slots;
    size_t slot_count, count;
    struct hash_seed seed;
};

// Adds to the counts of a PC. False: no memory.
bool pc_counts_add(struct pc_counts *counts, const struct pc_count *more);

// Adds all of `more`. False: no memory; some are added then.
bool pc_counts_add_all(struct pc_counts *counts, const struct pc_counts *more);

// Empties them and keeps the memory.
void pc_counts_clear(struct pc_counts *counts);

// All of them in the order of their PCs, for the caller to free; NULL: no memory.
struct pc_count *pc_counts_sorted(const struct pc_counts *counts);

void pc_counts_free(struct pc_counts *counts);

#endif
