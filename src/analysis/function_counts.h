// How often each function was entered.
#ifndef TRAWL_ANALYSIS_FUNCTION_COUNTS_H
#define TRAWL_ANALYSIS_FUNCTION_COUNTS_H

#include "analysis/index_view.h"
#include "base/hash_seed.h"

struct function_count {
    uint64_t pc; // of the entry, without Thumb bit
    uint64_t calls;
};

// All zero is empty. Fields are for reading.
struct function_counts {
    struct hash_seed seed;
    struct function_count *slots; // open addressing, calls 0: free; then in order, from 0 to count
    size_t slot_count, count;
};

// Counts the calls of every lane, and its outermost function once. Ordered by address.
enum status function_counts_take(struct function_counts *counts, const struct index_view *view,
                                 struct error *err);
void function_counts_free(struct function_counts *counts);

#endif
