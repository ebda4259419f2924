// Segments of an index (segment.h) filled one behind the other from events that come in their
// order, as of trace files, and built together, one a thread.
#ifndef TRAWL_PIPELINE_SEGMENT_BATCH_H
#define TRAWL_PIPELINE_SEGMENT_BATCH_H

#include "pipeline/segment.h"

// Columns of all zeros for `capacity` events. False: no memory. Freed by segment_give_back either
// way.
bool segment_make_rows(struct segment *segment, size_t capacity);

// Frees a segment, and has the consumer free what is its own.
void segment_give_back(struct segment *segment, const struct segment_consumer *consumer);

// Fields are for reading.
struct segment_batch {
    const struct segment_consumer *consumer;
    unsigned threads;
    struct segment *segments; // a thread
    struct error *failures;   // of building them
    size_t filled;
    uint64_t written; // segments
};

// False: no memory. Freed by segment_batch_free either way; all zero is freed.
bool segment_batch_begin(struct segment_batch *batch, const struct segment_consumer *consumer,
                         unsigned threads);
void segment_batch_free(struct segment_batch *batch);

// Builds and hands over all segments that hold something. False: `err` tells why.
bool segment_batch_flush(struct segment_batch *batch, struct error *err);

// The segment that the next event goes into, as row segment->event_count; segment_batch_added when
// all of it is there. NULL: `err` tells why.
static ALWAYS_INLINE struct segment *segment_batch_next(struct segment_batch *batch,
                                                        struct error *err)
{
    if (UNLIKELY(batch->filled == batch->threads) && !segment_batch_flush(batch, err))
        return NULL;
    return &batch->segments[batch->filled];
}

static ALWAYS_INLINE void segment_batch_added(struct segment_batch *batch, struct segment *segment)
{
    segment->event_count++;
    batch->filled += segment->event_count == batch->consumer->segment_events;
}

// The number that the next event will have.
static inline uint64_t segment_batch_events(const struct segment_batch *batch)
{
    uint64_t rows = batch->filled < batch->threads ? batch->segments[batch->filled].event_count : 0;
    return (batch->written + batch->filled) * batch->consumer->segment_events + rows;
}

// Hands over what is left. False: `err` tells why.
bool segment_batch_end(struct segment_batch *batch, struct error *err);

#endif
