// Which instructions need not be distinguished: those of one symbol with the same lines and inlined
// functions. Each is represented by the first one that was looked up.
#ifndef TRAWL_ANALYSIS_PLACE_MERGE_H
#define TRAWL_ANALYSIS_PLACE_MERGE_H

#include "analysis/source_lines.h"
#include "base/arena.h"
#include "base/hash_seed.h"
#include "base/vec.h"
#include "flow/place_table.h"

// What is said at a place: as bytes.
struct merged_place {
    const uint8_t *bytes;
    size_t size_bytes;
    uint64_t first;
};

// Fields are private.
struct place_merge {
    bool by_lines, by_inlines;
    bool lacks_memory; // so that some may be distinguished that need not be
    const struct names *names;
    struct source_lines *lines;
    struct hash_seed seed;
    struct arena arena;
    VEC(, uint8_t) said; // in the making
    struct place_table table;
    size_t pc_count;
    struct merged_place *places;
    size_t place_slots, place_count;
};

// `names` and `lines` must outlive it, and it must stay where it is: its table leads back to it.
// If there is no memory an instruction is one of its own.
void place_merge_init(struct place_merge *merge, bool by_lines, bool by_inlines,
                      const struct names *names, struct source_lines *lines);
void place_merge_free(struct place_merge *merge);

// The lowest address of the kind whose first is `first`.
uint64_t place_merge_lowest(const struct place_merge *merge, uint64_t first);

#endif
