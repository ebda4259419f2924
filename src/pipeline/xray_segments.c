#include "pipeline/xray_segments.h"

#include <stdlib.h>

bool xray_segments_begin(struct xray_segments *segments, const struct xray_log *log,
                         const struct segment_consumer *consumer, unsigned threads)
{
    *segments = (struct xray_segments){.log = log};
    segments->buffer_events = calloc(log->buffers.count + 1, sizeof *segments->buffer_events);
    return segment_batch_begin(&segments->batch, consumer, threads) && segments->buffer_events;
}

void xray_segments_free(struct xray_segments *segments)
{
    segment_batch_free(&segments->batch);
    free(segments->buffer_events);
    *segments = (struct xray_segments){0};
}

// Goes on to the buffer that the record lies in; those between have no events.
static NEVER_INLINE void enter_buffer(struct xray_segments *segments, uint64_t offset)
{
    uint64_t event = segment_batch_events(&segments->batch);
    do {
        ASSERT(segments->next_buffer < segments->log->buffers.count);
        const struct xray_buffer *buffer = &segments->log->buffers.items[segments->next_buffer];
        segments->buffer_events[segments->next_buffer++] = event;
        segments->offset_first = buffer->offset;
        segments->offset_size = buffer->size_bytes;
    } while (offset - segments->offset_first >= segments->offset_size);
}

bool xray_segments_add(struct xray_segments *segments, const struct xray_lane *lane,
                       const struct xray_record *record)
{
    struct segment *segment = segment_batch_next(&segments->batch, &segments->error);
    if (UNLIKELY(!segment))
        return false;
    if (UNLIKELY(record->offset - segments->offset_first >= segments->offset_size))
        enter_buffer(segments, record->offset);
    struct segment_events *events = &segment->events;
    uint32_t row = segment->event_count; // line and lane stay 0: where lanes begin tells of them
    events->time[row] = lane->time;
    events->position[row] = record->offset;
    events->pc[row] = xray_pc(record->function);
    events->flags[row] = xray_event_flags(record->kind);
    segment_batch_added(&segments->batch, segment);
    return true;
}

bool xray_segments_end(struct xray_segments *segments)
{
    uint64_t event = segment_batch_events(&segments->batch);
    while (segments->next_buffer < segments->log->buffers.count)
        segments->buffer_events[segments->next_buffer++] = event;
    return segment_batch_end(&segments->batch, &segments->error);
}
