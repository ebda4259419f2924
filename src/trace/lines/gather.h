// The columns made from a chunk, and the segments that are gathered from them.
#ifndef TRAWL_TRACE_LINES_GATHER_H
#define TRAWL_TRACE_LINES_GATHER_H

#include "flow/calls.h"
#include "flow/instruction_times.h"
#include "flow/segment.h"
#include "flow/shadow_chunk.h"
#include "trace/lines/parsed_chunk.h"
#include "trace/lines/scan.h"

#define NO_EVENT UINT64_MAX

// How calls are matched.
enum calls_way {
    CALLS_BY_SHADOW,    // as the machine executes them
    CALLS_BY_REFERENCE, // by the rules of the Tarmac Trace Utilities
    CALLS_WAYS,
};

// Calls of all parts of a chunk, if the chunk was matched by itself.
struct chunk_calls {
    void *store; // NULL: not created yet
    const struct call_stores *kind;
};

// The input and the results of scanning one lane's part of a chunk.
struct part_scan {
    size_t lane;
    struct lane_state before, state; // before the chunk; after the marks scanned so far
    uint32_t vector_bytes;           // the lane's widest write to a z before the chunk
    bool clears_z;                   // writes to v clear the rest of z (Arm ARM, B1.2.1)
    struct scan_result result;
    uint64_t nodes_before;         // of the lane, before the chunk
    struct lane_carry carried;     // from before the chunk
    struct shadow_chunk *shadow;   // its transfers after matching; NULL: not created yet
    struct calls_chunk *reference; // the same, matched the other way
    bool is_chunk[CALLS_WAYS];     // whether they were matched this way
    struct instruction_ends ends;  // if instructions are counted
    size_t surveyed;               // number of its marks that belong to a survey (survey.h)
    VEC(, uint32_t) ranks;  // of nodes among the events of all lanes; unused if there is one part
    uint64_t carried_event; // of the lane, before the chunk; NO_EVENT
};

// What was read from a chunk. Its memory is reused for later chunks.
struct chunk_data {
    struct parsed_chunk parsed;
    struct chunk_base base;
    VEC(, struct part_scan) scans;              // one for each part that was stitched
    struct branch_memo memo[BRANCH_MEMO_COUNT]; // of all parts, which often run the same program
    size_t scan_count;
    struct chunk_calls calls[CALLS_WAYS];
    // For chunks whose nodes are kept:
    size_t only_part;            // the only part with nodes; SIZE_MAX: several
    VEC(, uint32_t) event_lines; // in order; unused if there is only one part
    VEC(, uint32_t) line_parts;  // for each line, the part that begins an event; as above
    uint64_t first_event, event_count;
    size_t users; // number of segments that will read it, plus one while it is dealt to segments
    struct chunk_data *next_spare;
};

void chunk_data_free(struct chunk_data *data);

// Sorts the nodes of all lanes by line, after all were scanned. False: no memory.
bool chunk_data_order(struct chunk_data *data);

// The position of the first line of an event of the trace; UINT64_MAX: not in this chunk.
uint64_t chunk_data_position(const struct chunk_data *data, uint64_t event);

// Adds what a chunk has for the segment, whose number, first event and count are set. Chunks must
// be added in order. False: no memory.
bool segment_gather(struct segment *segment, const struct chunk_data *data);

// Adds only the modes of cores that depend on earlier ones, in the order of segment_gather. False:
// no memory.
bool segment_gather_modes(struct segment *segment, const struct chunk_data *data);

// Sorts what came from several lanes, after all chunks were added.
void segment_finish(struct segment *segment);

#endif
