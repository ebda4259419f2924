// Contexts of functions, split by inlined functions, source lines or instructions. A tree in which
// instructions have their own contexts (flow/context_tree.h) becomes a tree in which each context
// has a label.
#ifndef TRAWL_QUERY_FRAME_SPLIT_H
#define TRAWL_QUERY_FRAME_SPLIT_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/context_tree.h"
#include "names/source_lines.h"

// --- Places that are alike -----------------------------------------------------------------------

// Which instructions need not be distinguished: those of one symbol with the same lines and inlined
// functions. Each is represented by the first one that was looked up.

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

// --- frame_split.c -------------------------------------------------------------------------------

struct frame_label {
    const char *name;     // of the frame: "main", "main main.c:12", "main main.c:12 0x8004"
    const char *function; // in the label; an address if it has no name
    const char *path;     // of the source file; NULL: unknown, or not requested
    uint32_t line;        // 0: likewise
    uint64_t pc;          // of an instruction; otherwise the lowest PC with this label
};

// What to split by, in any combination.
enum frame_split_by {
    SPLIT_INLINES = 1,
    SPLIT_LINES = 2,
    SPLIT_INSTRUCTIONS = 4,
};

// The labels of a function at a place, the outermost first: a range of `chains`.
struct frame_place {
    uint64_t function, pc;
    uint32_t first, count;
    bool is_inside; // the place is in the function
};

// Fields are private, except for the labels, which are indexed by number.
struct frame_split {
    VEC(, struct frame_label) labels;
    unsigned by; // enum frame_split_by
    struct names *names;
    struct source_lines *lines;
    struct arena arena;
    struct place_merge merge;
    VEC(, uint32_t) chains;
    VEC(, struct frame_place) places;
    struct hash_index by_pc;   // places
    struct hash_index by_name; // labels
};

// `names` and `lines` must outlive it; texts of labels live as long as all three.
void frame_split_init(struct frame_split *split, unsigned by, struct names *names,
                      struct source_lines *lines);
void frame_split_free(struct frame_split *split);

// Makes a tree that will be split record places, one for each set of labels. Before the first call.
void frame_split_tell(struct frame_split *split, struct context_tree *tree);

// Converts the trees below `roots` of `from` into one below a nameless node of `into`, which is
// returned. Contexts there have the kind CONTEXT_PLACE and a label number as `pc`. Their ticks are
// their own until frame_split_sum. CONTEXT_NONE: no memory.
uint32_t frame_split_roots(struct frame_split *split, const struct context_tree *from,
                           const uint32_t *roots, size_t root_count, struct context_tree *into);

// Adds up the ticks of contexts when all are made.
void frame_split_sum(struct context_tree *into);

#endif
