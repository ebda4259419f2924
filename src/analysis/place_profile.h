// Counts of instructions (flow/pc_counts.h), summed up by source line, or by function with inlined
// functions separately.
#ifndef TRAWL_ANALYSIS_PLACE_PROFILE_H
#define TRAWL_ANALYSIS_PLACE_PROFILE_H

#include "analysis/source_lines.h"
#include "flow/pc_counts.h"

enum place_kind { PLACE_LINE, PLACE_FUNCTION };

struct place_row {
    const char *name;       // of a function, or the path of a line; NULL: not known
    uint32_t line;          // 0 of a function
    uint64_t ticks;         // of its own instructions
    uint64_t ticks_with;    // and with those of what was inlined into a function
    uint64_t ticks_inlined; // of `ticks`, where it was inlined itself
    uint64_t visits;        // of its most executed instruction
    uint64_t executed;      // instructions in all
    uint64_t address;       // its lowest
};

// All zero is empty.
struct place_profile {
    VEC(, struct place_row) rows; // by name and line, each once; what is unknown comes first
    uint64_t ticks;
};

// Sums up `count` counts, each at a PC of its own, looked up once. Texts live as long as `names`
// and `lines`. False: no memory; source_lines_lacked_memory and names.lacks_memory report more.
bool place_profile_make(struct place_profile *profile, enum place_kind kind,
                        const struct pc_count *counts, size_t count, struct names *names,
                        struct source_lines *lines);

void place_profile_free(struct place_profile *profile);

#endif
