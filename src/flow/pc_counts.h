// How often the instruction at each PC was executed, and skipped by its condition; how long it
// took, and where control went after it.
#ifndef TRAWL_FLOW_PC_COUNTS_H
#define TRAWL_FLOW_PC_COUNTS_H

#include "base/hash_seed.h"

struct pc_count {
    uint64_t pc; // without Thumb bit
    uint64_t executed, skipped;
    uint64_t ticks; // until the next instruction of its lane began
    // Of those executions that an instruction followed with no exception in between: how often that
    // one stood two bytes on, four bytes on, or elsewhere.
    uint64_t followed_by_2, followed_by_4, went;
    uint64_t position; // of the line of its first visit, in the trace that was counted
};

// How often control continued at the next instruction, of one of so many bytes, and elsewhere. What
// was skipped continued.
static inline uint64_t pc_count_passed(const struct pc_count *count, unsigned size_bytes)
{
    return count->skipped + (size_bytes == 2 ? count->followed_by_2 : count->followed_by_4);
}

static inline uint64_t pc_count_gone(const struct pc_count *count, unsigned size_bytes)
{
    return count->went + (size_bytes == 2 ? count->followed_by_4 : count->followed_by_2);
}

// All zero is empty. A slot is free while both of its counts are 0.
struct pc_counts {
    struct pc_count *slots;
    size_t slot_count, count;
    struct hash_seed seed;
};

// Adds to the counts of a PC; of positions the lower one stays. False: no memory.
bool pc_counts_add(struct pc_counts *counts, const struct pc_count *more);

// The count of a PC that was added, which stays there until more are; NULL: there is none.
struct pc_count *pc_counts_find(const struct pc_counts *counts, uint64_t pc);

// Adds all of `more`. False: no memory; some are added then.
bool pc_counts_add_all(struct pc_counts *counts, const struct pc_counts *more);

// Empties them and keeps the memory.
void pc_counts_clear(struct pc_counts *counts);

// All of them in the order of their PCs, for the caller to free; NULL: no memory.
struct pc_count *pc_counts_sorted(const struct pc_counts *counts);

void pc_counts_free(struct pc_counts *counts);

#endif
