// Contexts of functions, split by inlined functions, source lines or instructions. A tree in which
// instructions have their own contexts (flow/context_tree.h) becomes a tree in which each context
// has a label.
#ifndef TRAWL_QUERY_FRAME_SPLIT_H
#define TRAWL_QUERY_FRAME_SPLIT_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
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

// --- inlined_calls.c -----------------------------------------------------------------------------

// The calls of a trace together with inlined functions: each stretch that a function spends in a
// function inlined into it is reported as a call, with CALL_INLINED, and calls made from there as
// calls in that one.
//
// It sits between the matching of calls (flow/call_consumer.h) and their consumer. A stretch begins
// and ends where consecutive instructions of a frame reach another place among the inlined
// functions; calls and handlers in between do not end it.

// A place in the tree of what was inlined into what. The first stands for the functions themselves.
struct inline_place {
    uint64_t entry;   // identifies it (debug_inline)
    const char *name; // NULL: none
    uint32_t parent;
    uint32_t depth;
};

// The innermost place of an instruction.
struct inlined_pc {
    uint64_t pc;
    uint32_t place;
};

// A place that a frame is in.
struct inlined_frame {
    struct node_ref site, entry;
    struct call_content content; // of the consumer
    uint32_t outer;              // the frame around it; 0: the function
};

// The content of an open call.
struct inlined_surrounding {
    struct call_content outside; // outside of all inlined functions; the consumer's
    struct node_ref last;        // its last node
    bool has_last;
    uint32_t place;     // the current one
    uint32_t innermost; // frame; 0: the function
    uint32_t next_free;
};

// Fields are private.
struct inlined_calls {
    struct call_consumer consumer;
    const struct names *names;
    struct source_lines *lines;
    VEC(, struct inline_place) places;
    VEC(, struct inlined_frame) frames;
    VEC(, struct inlined_surrounding) surroundings;
    uint32_t free_frame, free_surrounding; // lists; 0: none
    VEC(, struct inlined_pc) pcs;
    struct hash_index by_pc;    // pcs
    struct hash_index by_entry; // places, by parent and entry
};

// `consumer` receives the calls, with contents of its own. `names` and `lines` must outlive it.
// False: no memory.
bool inlined_calls_init(struct inlined_calls *calls, const struct call_consumer *consumer,
                        const struct names *names, struct source_lines *lines);
void inlined_calls_free(struct inlined_calls *calls);

// For pass_options. `calls` must stay where it is.
struct call_consumer inlined_calls_consumer(struct inlined_calls *calls);

// After the pass: ends, at `last`, what is open in a content of the result, and replaces it by the
// consumer's. False: no memory.
bool inlined_calls_end(struct inlined_calls *calls, struct call_content *content,
                       const struct node_ref *last);

// The name of the inlined function at `depth` (from 1) at the PC where a call began. Lives as long
// as the lines.
const char *inlined_calls_name(struct inlined_calls *calls, uint64_t pc, uint32_t depth);

#endif
