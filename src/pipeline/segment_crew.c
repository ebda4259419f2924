#include "pipeline/segment_batch.h"

#include "base/parallel.h"
#include "pipeline/gather.h"

#include <stdlib.h>

bool segment_make_rows(struct segment *segment, size_t capacity)
{
    struct segment_events *events = &segment->events;
    events->capacity = capacity;
    events->time = calloc(capacity, sizeof *events->time);
    events->line = calloc(capacity, sizeof *events->line);
    events->position = calloc(capacity, sizeof *events->position);
    events->pc = calloc(capacity, sizeof *events->pc);
    events->flags = calloc(capacity, sizeof *events->flags);
    events->lane = calloc(capacity, sizeof *events->lane);
    return events->time && events->line && events->position && events->pc && events->flags &&
           events->lane;
}

void segment_give_back(struct segment *segment, const struct segment_consumer *consumer)
{
    if (consumer->free_own && segment->own)
        consumer->free_own(consumer->self, segment->own);
    segment_free(segment);
}

bool segment_batch_begin(struct segment_batch *batch, const struct segment_consumer *consumer,
                         unsigned threads)
{
    *batch = (struct segment_batch){.consumer = consumer, .threads = threads};
    batch->segments = calloc(threads, sizeof *batch->segments);
    batch->failures = calloc(threads, sizeof *batch->failures);
    bool has_memory = batch->segments && batch->failures;
    for (unsigned i = 0; i < threads && has_memory; i++)
        has_memory = segment_make_rows(&batch->segments[i], consumer->segment_events);
    return has_memory;
}

void segment_batch_free(struct segment_batch *batch)
{
    for (unsigned i = 0; batch->segments && i < batch->threads; i++)
        segment_give_back(&batch->segments[i], batch->consumer);
    free(batch->segments);
    free(batch->failures);
    *batch = (struct segment_batch){0};
}

static bool build(void *self, unsigned worker, uint64_t number)
{
    struct segment_batch *batch = self;
    const struct segment_consumer *consumer = batch->consumer;
    struct segment *segment = &batch->segments[number];
    (void)worker;
    segment->number = batch->written + number;
    segment->first_event = segment->number * consumer->segment_events;
    return !consumer->build || consumer->build(consumer->self, segment, &batch->failures[number]);
}

// What the first segment that could not be built failed of.
static void tell_failure(const struct segment_batch *batch, struct error *err)
{
    error_set(err, STATUS_MEMORY, "no memory for a segment of the index");
    for (size_t i = batch->filled; i-- > 0;) {
        if (batch->failures[i].status != STATUS_OK)
            *err = batch->failures[i];
    }
}

bool segment_batch_flush(struct segment_batch *batch, struct error *err)
{
    const struct segment_consumer *consumer = batch->consumer;
    if (!parallel_run(batch->threads, batch->filled, batch, build)) {
        tell_failure(batch, err);
        return false;
    }
    for (size_t i = 0; i < batch->filled; i++) {
        struct segment *segment = &batch->segments[i];
        if (!consumer->write(consumer->self, segment, err))
            return false;
        segment->event_count = 0;
        segment->registers.count = 0;
        segment->accesses.count = 0;
    }
    batch->written += batch->filled;
    batch->filled = 0;
    return true;
}

bool segment_batch_end(struct segment_batch *batch, struct error *err)
{
    if (batch->filled < batch->threads && batch->segments[batch->filled].event_count)
        batch->filled++;
    return segment_batch_flush(batch, err);
}
