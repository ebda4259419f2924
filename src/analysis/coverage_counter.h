// Counts, lane by lane, how often the instruction at each PC was executed: what a pass feeds its
// segments to.
#ifndef TRAWL_ANALYSIS_COVERAGE_COUNTER_H
#define TRAWL_ANALYSIS_COVERAGE_COUNTER_H

#include "flow/clip.h"
#include "flow/pc_counts.h"
#include "flow/segment.h"

struct coverage_lane {
    struct pc_counts counts;
    // Its last event in what was counted: numbered in the trace, and in the lane.
    uint64_t last_event, last_number, last_time;
};

struct coverage_counter {
    struct call_range range; // outside of it nothing counts
    VEC(, struct coverage_lane) lanes;
    VEC(, uint64_t) events_begun; // of each lane, in the segments that were begun: ahead of `lanes`
};

// The consumer for a pass; `counter` must outlive it.
struct segment_consumer coverage_counter_consumer(struct coverage_counter *counter);

void coverage_counter_free(struct coverage_counter *counter);

#endif
