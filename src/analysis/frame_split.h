// Contexts of functions, split by inlined functions, source lines or instructions. From a tree in
// which instructions have contexts of their own (flow/context_tree.h) another tree is made, in
// which each context has a label.
#ifndef TRAWL_ANALYSIS_FRAME_SPLIT_H
#define TRAWL_ANALYSIS_FRAME_SPLIT_H

#include "analysis/place_merge.h"
#include "flow/context_tree.h"

struct frame_label {
    const char *name;     // of the frame: "main", "main main.c:12", "main main.c:12 0x8004"
    const char *function; // in it; an address if it has no name
    const char *path;     // of the source file; NULL: not known, or not asked for
    uint32_t line;        // 0: likewise
    uint64_t pc;          // of an instruction; else the lowest of those that have it
};

// What to split by. Any together.
enum frame_split_by {
    SPLIT_INLINES = 1,
    SPLIT_LINES = 2,
    SPLIT_INSTRUCTIONS = 4,
};

// The labels of a function at a place, the outermost first: a stretch of `chains`.
struct frame_place {
    uint64_t function, pc;
    uint32_t first, count; // 0: free
    bool is_inside;        // the place is in the function
};

// Fields are private, except for the labels, by their numbers.
struct frame_split {
    VEC(, struct frame_label) labels;
    unsigned by; // enum frame_split_by
    struct names *names;
    struct source_lines *lines;
    struct arena arena;
    struct hash_seed seed;
    struct place_merge merge;
    VEC(, uint32_t) chains;
    struct frame_place *places;
    size_t place_slots, place_count;
    uint32_t *label_slots; // number + 1
    size_t label_slot_count;
};

// `names` and `lines` must outlive it, and texts of labels live as long as these and it.
void frame_split_init(struct frame_split *split, unsigned by, struct names *names,
                      struct source_lines *lines);
void frame_split_free(struct frame_split *split);

// Has a tree that is to be split tell places, as many as have other labels. Before the first call.
void frame_split_tell(struct frame_split *split, struct context_tree *tree);

// Makes of the trees below `roots` of `from` one below a nameless node of `into`, which is
// returned. Contexts there have the kind CONTEXT_PLACE and numbers of labels as their `pc`. Their
// ticks are their own until frame_split_sum. CONTEXT_NONE: no memory.
uint32_t frame_split_roots(struct frame_split *split, const struct context_tree *from,
                           const uint32_t *roots, size_t root_count, struct context_tree *into);

// Sums up the ticks of contexts, when all are made.
void frame_split_sum(struct context_tree *into);

#endif
