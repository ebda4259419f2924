// The function records of an XRay log as the events of an index, cut into segments of a fixed
// number (segment.h): lane by lane, each in its own order.
//
// Not in the order of time, as that is of no more use than the clocks of processors agree, a lane's
// records would lie apart, and threads could not be told apart by their numbers alone.
#ifndef TRAWL_PIPELINE_XRAY_SEGMENTS_H
#define TRAWL_PIPELINE_XRAY_SEGMENTS_H

#include "pipeline/segment_batch.h"
#include "pipeline/xray_lane.h"

struct xray_segments {
    const struct xray_log *log;
    // Private but for these: the first event of each buffer of the log, behind xray_segments_end.
    uint64_t *buffer_events;
    struct segment_batch batch;
    uint64_t next_buffer;               // that no event was taken from
    uint64_t offset_first, offset_size; // of the one that the last event was taken from
    struct error error;
};

// False: no memory. Freed by xray_segments_free either way.
bool xray_segments_begin(struct xray_segments *segments, const struct xray_log *log,
                         const struct segment_consumer *consumer, unsigned threads);
void xray_segments_free(struct xray_segments *segments);

// Takes the function record in hand of a lane. False: segments->error tells why.
bool xray_segments_add(struct xray_segments *segments, const struct xray_lane *lane,
                       const struct xray_record *record);

// Hands over what is left. False: likewise.
bool xray_segments_end(struct xray_segments *segments);

#endif
