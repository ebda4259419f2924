// The second pass over a chunk's marks: nodes are cut, and what depends on them comes out:
// transfers of control for the matching of calls, and visits to watched addresses.
#ifndef TRAWL_TRACE_TARMAC_SCAN_H
#define TRAWL_TRACE_TARMAC_SCAN_H

#include "flow/node.h"
#include "trace/tarmac/lane_state.h"

// The nodes that begin in the chunk, as the marks that begin them have them. A row behind the last
// has line UINT32_MAX.
struct scan_nodes {
    uint64_t *time, *pc;
    uint32_t *line, *position; // relative to the chunk
    uint8_t *flags;            // enum event_flag
    size_t count, capacity;
};

// An instruction or exception that is not the first event of its node.
struct node_join {
    uint32_t node; // counted in the chunk from 1; 0: the node carried in
    uint32_t mark;
};

// What a scan keeps beside transfers.
struct scan_options {
    struct watch_list watch;
    bool keep_nodes;
};

struct scan_result {
    VEC(, struct transfer) transfers;
    VEC(, struct visit) visits;
    struct scan_nodes nodes;       // if kept, as many as node_count
    VEC(, struct node_join) joins; // if nodes are kept
    uint64_t drop_below_at_end;    // of the SP writes behind the last transfer
    uint64_t node_count;           // that begin in the chunk
    struct node_ref root;          // the lane's first node with an instruction, if it lies here
    bool has_root;
};

// Moves `state` over the marks and appends to `result`, whose columns are emptied first. Node
// events are relative to the chunk. False when there is no memory.
bool scan_marks(struct lane_state *state, const struct marks *marks, const struct chunk_base *base,
                const struct scan_options *options, struct scan_result *result);

// The time of node number `node`, counted from 0 in the chunk, which begins in it; `before` is the
// state before the chunk.
uint64_t scan_time_of_node(const struct lane_state *before, const struct marks *marks,
                           const struct chunk_base *base, uint64_t node);

void scan_result_free(struct scan_result *result);

#endif
