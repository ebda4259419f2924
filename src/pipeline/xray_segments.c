#include "pipeline/xray_segments.h"

#include "base/parallel.h"

#include <stdlib.h>

static bool make_rows(struct segment_events *events, size_t capacity)
{
    events->capacity = capacity;
    events->time = malloc(capacity * sizeof *events->time);
    events->line = calloc(capacity, sizeof *events->line); // a log has none
    events->position = malloc(capacity * sizeof *events->position);
    events->pc = malloc(capacity * sizeof *events->pc);
    events->flags = malloc(capacity * sizeof *events->flags);
    events->lane = calloc(capacity, sizeof *events->lane); // told by where lanes begin
    return events->time && events->line && events->position && events->pc && events->flags &&
           events->lane;
}

bool xray_segments_begin(struct xray_segments *segments, const struct xray_log *log,
                         const struct segment_consumer *consumer, unsigned threads)
{
    *segments = (struct xray_segments){.log = log, .consumer = consumer, .threads = threads};
    segments->buffer_events = calloc(log->buffers.count + 1, sizeof *segments->buffer_events);
    segments->segments = calloc(threads, sizeof *segments->segments);
    bool has_memory = segments->buffer_events && segments->segments;
    for (unsigned i = 0; i < threads && has_memory; i++)
        has_memory = make_rows(&segments->segments[i].events, consumer->segment_events);
    return has_memory;
}

void xray_segments_free(struct xray_segments *segments)
{
    for (unsigned i = 0; segments->segments && i < segments->threads; i++) {
        struct segment *segment = &segments->segments[i];
        free(segment->events.time);
        free(segment->events.line);
        free(segment->events.position);
        free(segment->events.pc);
        free(segment->events.flags);
        free(segment->events.lane);
        if (segments->consumer->free_own && segment->own)
            segments->consumer->free_own(segments->consumer->self, segment->own);
    }
    free(segments->segments);
    free(segments->buffer_events);
    *segments = (struct xray_segments){0};
}

static bool build(void *self, unsigned worker, uint64_t number)
{
    struct xray_segments *segments = self;
    struct segment *segment = &segments->segments[number];
    struct error err;
    (void)worker;
    segment->number = segments->written + number;
    segment->first_event = segment->number * segments->consumer->segment_events;
    return !segments->consumer->build ||
           segments->consumer->build(segments->consumer->self, segment, &err);
}

// Hands over all segments that hold something.
static bool flush(struct xray_segments *segments)
{
    const struct segment_consumer *consumer = segments->consumer;
    if (!parallel_run(segments->threads, segments->filled, segments, build)) {
        error_set(&segments->error, STATUS_MEMORY, "no memory for a segment of the index");
        return false;
    }
    for (size_t i = 0; i < segments->filled; i++) {
        if (!consumer->write(consumer->self, &segments->segments[i], &segments->error))
            return false;
        segments->segments[i].event_count = 0;
    }
    segments->written += segments->filled;
    segments->filled = 0;
    return true;
}

// The number that the next event will have.
static uint64_t next_event(const struct xray_segments *segments)
{
    uint64_t rows =
        segments->filled < segments->threads ? segments->segments[segments->filled].event_count : 0;
    return (segments->written + segments->filled) * segments->consumer->segment_events + rows;
}

// Goes on to the buffer that the record lies in; those between have no events.
static NEVER_INLINE void enter_buffer(struct xray_segments *segments, uint64_t offset)
{
    uint64_t event = next_event(segments);
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
    if (UNLIKELY(segments->filled == segments->threads) && !flush(segments))
        return false;
    if (UNLIKELY(record->offset - segments->offset_first >= segments->offset_size))
        enter_buffer(segments, record->offset);
    struct segment *segment = &segments->segments[segments->filled];
    struct segment_events *events = &segment->events;
    uint32_t row = segment->event_count++;
    events->time[row] = lane->time;
    events->position[row] = record->offset;
    events->pc[row] = xray_pc(record->function);
    events->flags[row] = xray_event_flags(record->kind);
    segments->filled += segment->event_count == segments->consumer->segment_events;
    return true;
}

bool xray_segments_end(struct xray_segments *segments)
{
    uint64_t event = next_event(segments);
    while (segments->next_buffer < segments->log->buffers.count)
        segments->buffer_events[segments->next_buffer++] = event;
    if (segments->filled < segments->threads && segments->segments[segments->filled].event_count)
        segments->filled++;
    return flush(segments);
}
