// Segments of an index (segment.h) from events that are in order, as in trace files and XRay logs:
// taken in order, filled and built in parallel, written in order.
#ifndef TRAWL_FLOW_SEGMENT_CREW_H
#define TRAWL_FLOW_SEGMENT_CREW_H

#include "flow/segment.h"

struct segment_crew {
    const struct segment_consumer *consumer;
    unsigned threads;
    void *self;
    // In order, one at a time: goes over the events of the next segment, at most its capacity, and
    // sets segment->event_count; 0: no events left. `worker` is below `threads` and stays the same
    // until the segment is written. False: it failed, which `self` records.
    bool (*take)(void *self, unsigned worker, struct segment *segment);
    // In parallel: fills the rest. NULL: nothing is left to fill.
    void (*fill)(void *self, unsigned worker, struct segment *segment);
};

// Runs until there are no more events, or something fails. *err has failures of building or
// writing; it is STATUS_OK if only `take` failed.
void segment_crew_run(const struct segment_crew *crew, struct error *err);

#endif
