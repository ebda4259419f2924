// The columns that a chunk leaves, and the segments that are gathered from them.
#ifndef TRAWL_TRACE_TARMAC_GATHER_H
#define TRAWL_TRACE_TARMAC_GATHER_H

#include "flow/calls_piece.h"
#include "flow/instruction_times.h"
#include "flow/segment.h"
#include "flow/shadow_piece.h"
#include "trace/tarmac/parsed_chunk.h"
#include "trace/tarmac/scan.h"

#define NO_EVENT UINT64_MAX

// How calls are matched.
enum calls_way {
    CALLS_BY_SHADOW,    // as the machine makes them
    CALLS_BY_REFERENCE, // as the Tarmac Trace Utilities do
    CALLS_WAYS,
};

// Calls of all parts of a chunk, as far as they were matched by themselves.
struct chunk_calls {
    void *store; // NULL: none were, yet
    const struct call_pieces *kind;
};

// What the scan of one lane's part of a chunk needs, and leaves.
struct part_scan {
    size_t lane;
    struct lane_state before, state; // the chunk, and as far as it was scanned
    struct scan_result result;
    uint64_t nodes_before;         // of the lane, before the chunk
    struct lane_carry carried;     // into the chunk
    struct shadow_piece *shadow;   // what its transfers were matched into; NULL: none was made yet
    struct calls_piece *reference; // likewise, by the other way
    bool is_piece[CALLS_WAYS];     // whether they were
    struct instruction_ends ends;  // if instructions are counted
    size_t surveyed;               // so many of its marks were taken for a survey (survey.h)
    VEC(, uint32_t) ranks;  // of nodes among the events of all lanes; unused if there is one part
    uint64_t carried_event; // of the lane, before the chunk; NO_EVENT
};

// What was read of a chunk. Its memory is used again for a later one.
struct chunk_data {
    struct parsed_chunk parsed;
    struct chunk_base base;
    VEC(, struct part_scan) scans;              // as many as parts were stitched
    struct branch_memo memo[BRANCH_MEMO_COUNT]; // of all of them, which often run the same program
    size_t scan_count;
    struct chunk_calls calls[CALLS_WAYS];
    // Of chunks whose nodes are kept:
    size_t only_part;            // the one that has nodes; SIZE_MAX: several
    VEC(, uint32_t) event_lines; // in order, unused if there is one part
    VEC(, uint32_t) line_parts;  // likewise: which part begins an event on each line
    uint64_t first_event, event_count;
    size_t users; // segments that will read it, and one while it is dealt out
    struct chunk_data *next_spare;
};

void chunk_data_free(struct chunk_data *data);

// Puts the nodes of all lanes in the order of their lines, once all are scanned. False: no memory.
bool chunk_data_order(struct chunk_data *data);

// Where the first line of an event of the whole trace stands; UINT64_MAX: it is not of this chunk.
uint64_t chunk_data_position(const struct chunk_data *data, uint64_t event);

// Adds what a chunk has of the segment, whose number, first event and count are set. Chunks come in
// order. False: no memory.
bool segment_gather(struct segment *segment, const struct chunk_data *data);

// Puts in order what came from several lanes, when all chunks are gathered.
void segment_finish(struct segment *segment);

#endif
