// Counts, lane by lane, what the instruction at each PC did (flow/pc_counts.h): what a pass feeds
// its segments to. The one counter of coverage, profiles by line and annotated functions.
//
// What an instruction does shows with the next one of its lane: that ends its time, and says where
// control went.
#ifndef TRAWL_ANALYSIS_COVERAGE_COUNTER_H
#define TRAWL_ANALYSIS_COVERAGE_COUNTER_H

#include "flow/clip.h"
#include "flow/pc_counts.h"
#include "flow/segment.h"

// An instruction of which the next one of its lane is not known yet.
struct last_instruction {
    uint64_t pc; // with Thumb bit
    uint64_t time, position;
    bool is_there, is_executed;
    bool is_counted;     // it is in the range
    bool is_interrupted; // an exception came after it
};

struct coverage_lane {
    struct pc_counts counts;
    struct last_instruction last;
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

// After the pass: adds what a lane counted. False: no memory.
bool coverage_counter_add_lane(const struct coverage_counter *counter, size_t lane,
                               struct pc_counts *counts);

void coverage_counter_free(struct coverage_counter *counter);

#endif
