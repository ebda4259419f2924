// Counts the instructions of chunks by their PCs. Counts can be added in any order, so every worker
// has a tally of its own for all its chunks, and all are added up at the end.
#ifndef TRAWL_TRACE_LINES_TALLY_H
#define TRAWL_TRACE_LINES_TALLY_H

#include "flow/clip.h"
#include "flow/instruction_times.h"
#include "trace/lines/lane_state.h"

// The number of recent PCs, indexed by their low bits.
#define TALLY_RECENT 16384

struct tally {
    VEC(, struct pc_counts) lanes;
    uint32_t recent[TALLY_RECENT]; // where they are, or were, counted: in any lane
    struct tally *next;            // in the list that contains it
};

// The place of a part of a chunk in its lane.
struct tally_part {
    size_t lane;
    uint64_t nodes_before;           // of the lane; needed if the range is one of events
    const struct lane_state *before; // before the part
    const struct chunk_base *base;
    const struct call_range *range; // instructions outside of it are not counted
};

// The number of nodes that began in a part, and the last node, as in a scan (trace/lines/scan.h).
struct tally_end {
    uint64_t node_count;
    struct node_ref node;
};

// Counts all instructions except the last one, which is stored in `ends`, like the first. False: no
// memory.
bool tally_marks(struct tally *tally, const struct tally_part *part, const struct marks *marks,
                 struct instruction_ends *ends, struct tally_end *end);

// NULL: no memory.
struct tally *tally_new(void);

// NULL is allowed.
void tally_free(struct tally *tally);

#endif
