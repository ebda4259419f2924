// The open calls of the threads of an XRay log at a point.
#ifndef TRAWL_TRACE_XRAY_LANE_STACKS_H
#define TRAWL_TRACE_XRAY_LANE_STACKS_H

#include "trace/lane_stacks.h"
#include "trace/xray/lane.h"

// The buffer that contains a byte. False: none.
bool xray_find_buffer(const struct xray_log *log, uint64_t byte, uint64_t *number);

// Functions of struct trace_lane_stacks.
void xray_find_byte(const struct xray_log *log, uint64_t byte, struct lane_point *point);
void xray_find_entry(const struct xray_log *log, uint64_t pc, uint64_t *visit,
                     struct lane_point *point);

struct xray_stacks_at {
    const struct lane_point *point;
    struct lane_stack *stacks; // one for each thread
};

// A walk (trace/xray/pass.h) with a struct xray_stacks_at.
bool xray_stacks_at_walk(void *stacks, unsigned worker, struct xray_lane *lane, size_t number);

#endif
