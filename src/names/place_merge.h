// Which instructions need not be distinguished: those of one symbol with the same lines and inlined
// functions. Each is represented by the first one that was looked up.
#ifndef TRAWL_NAMES_PLACE_MERGE_H
#define TRAWL_NAMES_PLACE_MERGE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/context_tree.h"
#include "names/source_lines.h"

// The description of a place, as bytes.
struct merged_place {
    const uint8_t *bytes;
    size_t size_bytes;
    uint64_t first;
};

// Fields are private.
struct place_merge {
    bool by_lines, by_inlines;
    bool lacks_memory; // so some may be distinguished needlessly
    const struct names *names;
    struct source_lines *lines;
    struct hash_seed seed;
    struct arena arena;
    VEC(, uint8_t) said; // being built
    struct place_table table;
    size_t pc_count;
    VEC(, struct merged_place) places;
    struct hash_index by_text;
};

// `names` and `lines` must outlive it, and it must not move, because its table points back to it.
// Without memory, an instruction is not merged.
void place_merge_init(struct place_merge *merge, bool by_lines, bool by_inlines,
                      const struct names *names, struct source_lines *lines);
void place_merge_free(struct place_merge *merge);

// The lowest address among the instructions represented by `first`.
uint64_t place_merge_lowest(const struct place_merge *merge, uint64_t first);

#endif
