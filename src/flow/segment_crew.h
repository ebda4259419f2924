// Segments of an index (segment.h) from events that come in their order, as of trace files and XRay
// logs: taken in order, filled and built in parallel, written in order.
#ifndef TRAWL_FLOW_SEGMENT_CREW_H
#define TRAWL_FLOW_SEGMENT_CREW_H

#include "flow/segment.h"

struct segment_crew {
    const struct segment_consumer *consumer;
    unsigned threads;
    void *self;
    // In order, one at a time: goes over the events of the next segment, as many as it may hold,
    // and sets segment->event_count; 0: there are none left. `worker` is below `threads` and stays
    // the same until the segment is written. False: it failed, which `self` remembers.
    bool (*take)(void *self, unsigned worker, struct segment *segment);
    // In parallel: fills what `take` has left. NULL: nothing.
    void (*fill)(void *self, unsigned worker, struct segment *segment);
};

// Runs until there are no more events, or something fails: of building or writing, *err tells;
// STATUS_OK there if only `take` did.
void segment_crew_run(const struct segment_crew *crew, struct error *err);

#endif
