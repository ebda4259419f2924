// Counts of instructions (flow/pc_counts.h), summed up by source line, or by function with inlined
// functions separately.
#ifndef TRAWL_QUERY_PLACE_PROFILE_H
#define TRAWL_QUERY_PLACE_PROFILE_H

#include "flow/pc_counts.h"
#include "names/source_lines.h"

enum place_kind { PLACE_LINE, PLACE_FUNCTION };

struct place_row {
    const char *name;       // of a function, or the path of a line; NULL: unknown
    uint32_t line;          // 0 for a function
    uint64_t ticks;         // of its own instructions
    uint64_t ticks_with;    // including the functions inlined into it
    uint64_t ticks_inlined; // the part of `ticks` where it was inlined itself
    uint64_t visits;        // of its most executed instruction
    uint64_t executed;      // instructions in all
    uint64_t address;       // the lowest
};

// All zero is empty.
struct place_profile {
    VEC(, struct place_row) rows; // by name and line, each once; the unknown first
    uint64_t ticks;
};

// Adds up `count` counts, each with its own PC, which is looked up once. Texts live as long as
// `names` and `lines`. False: no memory; source_lines_lacked_memory and names.lacks_memory report
// more.
bool place_profile_make(struct place_profile *profile, enum place_kind kind,
                        const struct pc_count *counts, size_t count, struct names *names,
                        struct source_lines *lines);

void place_profile_free(struct place_profile *profile);

#endif
