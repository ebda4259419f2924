// The calls of a trace together with inlined functions: each stretch that a function spends in a
// function inlined into it is reported as a call, with CALL_INLINED, and calls made from there as
// calls in that one.
//
// It sits between the matching of calls (flow/call_consumer.h) and their consumer. A stretch begins
// and ends where consecutive instructions of a frame reach another place among the inlined
// functions; calls and handlers in between do not end it.
#ifndef TRAWL_QUERY_INLINED_CALLS_H
#define TRAWL_QUERY_INLINED_CALLS_H

#include "base/hash_index.h"
#include "flow/call_consumer.h"
#include "names/source_lines.h"

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
