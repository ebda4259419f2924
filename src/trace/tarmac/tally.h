// Counts the instructions of chunks by their PCs. What is counted adds up in any order, so that
// every worker has a tally of its own, from chunk to chunk, and all are joined at the end.
#ifndef TRAWL_TRACE_TARMAC_TALLY_H
#define TRAWL_TRACE_TARMAC_TALLY_H

#include "flow/clip.h"
#include "flow/instruction_times.h"
#include "trace/tarmac/lane_state.h"

// PCs that were found lately, by their low bits.
#define TALLY_RECENT 16384

struct tally {
    VEC(, struct pc_counts) lanes;
    uint32_t recent[TALLY_RECENT]; // where they are counted, or were: in any lane
    struct tally *next;            // in the list that it is kept in
};

// Where a part of a chunk is in its lane.
struct tally_part {
    size_t lane;
    uint64_t nodes_before;           // of the lane; needed where the range is one of events
    const struct lane_state *before; // the part
    const struct chunk_base *base;
    const struct call_range *range; // outside of it nothing counts
};

// How many nodes began in a part, and the last node, as a scan has them (trace/tarmac/scan.h).
struct tally_end {
    uint64_t node_count;
    struct node_ref node;
};

// Counts all instructions but the last one, which is left in `ends` as the first is. False: no
// memory.
bool tally_marks(struct tally *tally, const struct tally_part *part, const struct marks *marks,
                 struct instruction_ends *ends, struct tally_end *end);

// NULL: no memory.
struct tally *tally_new(void);

// NULL is allowed.
void tally_free(struct tally *tally);

#endif
