// A walk over the marks of a lane that cuts nodes like a scan (scan.c), for code that needs nothing
// else of them.
#ifndef TRAWL_TRACE_LINES_NODE_WALK_H
#define TRAWL_TRACE_LINES_NODE_WALK_H

#include "trace/lines/lane_state.h"

// The current node.
struct node_walk {
    uint64_t time;
    uint64_t count; // number of the lane's nodes up to this one
    bool has_node, has_instruction;
    uint64_t counted; // struct lane_state
};

static inline struct node_walk node_walk_from(const struct lane_state *before,
                                              uint64_t nodes_before)
{
    return (struct node_walk){before->time, nodes_before, before->has_node, before->has_instruction,
                              before->counted};
}

// Moves to the node of a mark, which is an event.
static ALWAYS_INLINE void node_walk_cut(struct node_walk *walk, const struct mark *mark,
                                        bool is_instruction)
{
    uint64_t time = walk->counted + mark->time;
    if (time < walk->time && walk->time != NO_TIME)
        time = walk->time;
    if (time != walk->time || (is_instruction && walk->has_instruction)) {
        walk->time = time;
        walk->count++;
        walk->has_node = true;
        walk->has_instruction = false;
    }
    walk->has_instruction |= is_instruction;
}

#endif
