// How often the instruction at each PC was executed, and skipped by its condition; how long it
// took, and where control went after it.
#ifndef TRAWL_FLOW_PC_COUNTS_H
#define TRAWL_FLOW_PC_COUNTS_H

#include "base/hash_index.h"

struct pc_count {
    uint64_t pc; // without Thumb bit
    uint64_t executed, skipped;
    uint64_t ticks; // until the next instruction of its lane began
    // For executions that were followed by an instruction without an exception in between: how
    // often that one was two bytes further, four bytes further, or elsewhere.
    uint64_t followed_by_2, followed_by_4, went;
    uint64_t position; // of the line of its first visit, in the counted trace
};

// How often control continued at the next instruction, for an instruction of this size, and
// elsewhere. Skipped instructions count as continued.
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

// Adds to the counts of a PC; the lower position is kept. False: no memory.
bool pc_counts_add(struct pc_counts *counts, const struct pc_count *more);

// The count of a PC, valid until more are added; NULL: there is none.
struct pc_count *pc_counts_find(const struct pc_counts *counts, uint64_t pc);

// Adds all of `more`. False: no memory; some were added.
bool pc_counts_add_all(struct pc_counts *counts, const struct pc_counts *more);

// Empties them and keeps the memory.
void pc_counts_clear(struct pc_counts *counts);

// All of them in the order of their PCs, for the caller to free; NULL: no memory.
struct pc_count *pc_counts_sorted(const struct pc_counts *counts);

void pc_counts_free(struct pc_counts *counts);

#endif
