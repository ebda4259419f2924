// How often each function was entered.
#ifndef TRAWL_QUERY_FUNCTION_COUNTS_H
#define TRAWL_QUERY_FUNCTION_COUNTS_H

#include "base/vec.h"
#include "trace/index_view.h"

struct function_count {
    uint64_t pc; // of the entry, without Thumb bit
    uint64_t calls;
};

// All zero is empty. Fields are for reading.
struct function_counts {
    VEC(, struct function_count) items; // in the order of their addresses
};

// Counts the calls of every lane, and the outermost function of each once.
enum status function_counts_take(struct function_counts *counts, const struct index_view *view,
                                 struct error *err);
void function_counts_free(struct function_counts *counts);

#endif
