// Which instructions need not be told apart: those of one symbol at which the same is to be said of
// lines and inlined functions. Each is known by the first of its kind that was asked for.
#ifndef TRAWL_ANALYSIS_PLACE_MERGE_H
#define TRAWL_ANALYSIS_PLACE_MERGE_H

#include "analysis/source_lines.h"
#include "base/arena.h"
#include "base/hash_seed.h"
#include "base/vec.h"

struct merged_pc {
    uint64_t pc, first;
    uint64_t lowest; // of those that this one stands for
    bool is_there;
};

// What is said at a place: as bytes.
struct merged_place {
    const uint8_t *bytes;
    size_t size_bytes;
    uint64_t first;
};

// Fields are private.
struct place_merge {
    bool by_lines, by_inlines;
    const struct names *names;
    struct source_lines *lines;
    struct hash_seed seed;
    struct arena arena;
    VEC(, uint8_t) said; // in the making
    struct merged_pc *pcs;
    size_t pc_slots, pc_count;
    struct merged_place *places;
    size_t place_slots, place_count;
};

// `names` and `lines` must outlive it.
void place_merge_init(struct place_merge *merge, bool by_lines, bool by_inlines,
                      const struct names *names, struct source_lines *lines);
void place_merge_free(struct place_merge *merge);

// The first instruction of the kind of that at `pc`, without Thumb bit; without memory itself.
uint64_t place_merge_look_up(struct place_merge *merge, uint64_t pc);

// The lowest address of the kind whose first is `first`.
uint64_t place_merge_lowest(const struct place_merge *merge, uint64_t first);

static ALWAYS_INLINE uint64_t place_merge_first(struct place_merge *merge, uint64_t pc)
{
    if (LIKELY(merge->pc_slots)) {
        size_t mask = merge->pc_slots - 1, at = (size_t)(pc >> 1) & mask;
        if (LIKELY(merge->pcs[at].pc == pc && merge->pcs[at].is_there))
            return merge->pcs[at].first;
    }
    return place_merge_look_up(merge, pc);
}

#endif
