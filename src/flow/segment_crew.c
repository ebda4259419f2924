#include "flow/segment_crew.h"

#include "base/ordered.h"
#include <stdlib.h>

// The current segment of a worker.
struct slot {
    struct segment segment;
    struct error failure; // the reason why it was not built
};

struct run {
    const struct segment_crew *crew;
    struct slot *slots; // one for each worker
    uint64_t taken;     // the number of segments taken
    struct error *err;
};

// --- Rows ----------------------------------------------------------------------------------------

// Columns of all zeros. False: no memory.
static bool make_rows(struct segment *segment, size_t capacity)
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

// --- A segment -----------------------------------------------------------------------------------

static bool take_segment(void *self, unsigned worker)
{
    struct run *run = self;
    const struct segment_crew *crew = run->crew;
    struct segment *segment = &run->slots[worker].segment;
    segment->event_count = 0;
    segment_empty(segment);
    segment->number = run->taken;
    segment->first_event = segment->number * crew->consumer->segment_events;
    bool is_taken = crew->take(crew->self, worker, segment) && segment->event_count;
    run->taken += is_taken;
    return is_taken;
}

static void make_segment(void *self, unsigned worker)
{
    const struct run *run = self;
    const struct segment_crew *crew = run->crew;
    const struct segment_consumer *consumer = crew->consumer;
    struct slot *slot = &run->slots[worker];
    slot->failure.status = STATUS_OK;
    if (crew->fill)
        crew->fill(crew->self, worker, &slot->segment);
    if (consumer->build && !consumer->build(consumer->self, &slot->segment, &slot->failure))
        ASSERT(slot->failure.status != STATUS_OK);
}

static bool put_segment(void *self, unsigned worker)
{
    struct run *run = self;
    const struct segment_consumer *consumer = run->crew->consumer;
    struct slot *slot = &run->slots[worker];
    *run->err = slot->failure;
    return slot->failure.status == STATUS_OK &&
           consumer->write(consumer->self, &slot->segment, run->err);
}

void segment_crew_run(const struct segment_crew *crew, struct error *err)
{
    static const struct ordered_work work = {take_segment, make_segment, put_segment};
    const struct segment_consumer *consumer = crew->consumer;
    struct run run = {.crew = crew, .err = err};
    *err = (struct error){.status = STATUS_OK};
    run.slots = calloc(crew->threads, sizeof *run.slots);
    bool has_memory = run.slots != NULL;
    for (unsigned i = 0; i < crew->threads && has_memory; i++)
        has_memory = make_rows(&run.slots[i].segment, consumer->segment_events);
    if (has_memory)
        ordered_run(crew->threads, &run, &work);
    else
        error_set(err, STATUS_MEMORY, "no memory for segments of the index");
    for (unsigned i = 0; i < crew->threads && run.slots; i++) {
        struct segment *segment = &run.slots[i].segment;
        if (consumer->free_own && segment->own)
            consumer->free_own(consumer->self, segment->own);
        segment_free(segment);
    }
    free(run.slots);
}
