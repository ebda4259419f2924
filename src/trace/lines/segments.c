// Segments in progress: joined chunks are dealt to the segments into which they reach, and gathered
// at once, while their data are in the cache and so that the memory is free for the next chunk
// (when they were kept until the segment was complete, they were half of all memory, and clearing
// its pages a fifth of the time). One worker at a time gathers a segment, as its chunks come in
// order. One that is complete is carried, built and written by any worker that is free.
#include "trace/lines/segments.h"

#include <stdlib.h>

static struct segment_slot *segment_at(struct pipeline *pipeline, uint64_t number)
{
    return &pipeline->segments[number % pipeline->segment_slot_count];
}

static const struct segment_consumer *consumer_of(const struct pipeline *pipeline)
{
    return &pipeline->options->segments;
}

// --- Dealing -------------------------------------------------------------------------------------

static void fail_without_memory(struct pipeline *pipeline)
{
    if (pipeline->status == STATUS_OK)
        pipeline->status =
            error_set(&pipeline->error, STATUS_MEMORY, "no memory for the events of a segment");
}

static void seal(struct pipeline *pipeline, struct segment_slot *slot, uint64_t event_count)
{
    slot->event_count = (uint32_t)event_count;
    slot->state = SEGMENT_SEALED;
    pipeline->next_sealed++;
    pthread_cond_broadcast(&pipeline->changed);
}

// The slot of the segment that collects chunks; NULL: there is no room for it.
static struct segment_slot *collecting(struct pipeline *pipeline)
{
    struct segment_slot *slot = segment_at(pipeline, pipeline->next_sealed);
    if (slot->state == SEGMENT_COLLECTING)
        return slot;
    if (slot->state != SEGMENT_FREE)
        return NULL;
    if (pipeline->spare_segment_count)
        slot->segment = pipeline->spare_segments[--pipeline->spare_segment_count];
    segment_empty(&slot->segment);
    slot->state = SEGMENT_COLLECTING;
    slot->segment.number = pipeline->next_sealed;
    slot->segment.event_count =
        consumer_of(pipeline)->segment_events; // at most, until it is sealed
    slot->segment.first_event = pipeline->next_sealed * slot->segment.event_count;
    return slot;
}

void segments_deal(struct pipeline *pipeline)
{
    struct chunk_data *data = pipeline->dealing;
    uint64_t segment_events = consumer_of(pipeline)->segment_events;
    bool reaches_on = pipeline->segment_slot_count > 0;
    while (data && reaches_on) {
        struct segment_slot *slot = collecting(pipeline);
        if (!slot)
            return;
        if (!VEC_ROOM(&slot->chunks, 1)) {
            fail_without_memory(pipeline);
            return;
        }
        slot->chunks.items[slot->chunks.count++] = data;
        data->users++;
        uint64_t end = slot->segment.first_event + segment_events;
        reaches_on = data->first_event + data->event_count > end;
        if (reaches_on)
            seal(pipeline, slot, segment_events);
    }
    if (data)
        pass_release_chunk_data(pipeline, data);
    pipeline->dealing = NULL;
    if (pipeline->segment_slot_count && pipeline->next_joined >= pipeline->end &&
        !pipeline->is_pausing) { // all chunks were dealt: seals the last segment
        struct segment_slot *slot = segment_at(pipeline, pipeline->next_sealed);
        pipeline->is_sealed = true;
        if (slot->state == SEGMENT_COLLECTING && pipeline->events > slot->segment.first_event)
            seal(pipeline, slot, pipeline->events - slot->segment.first_event);
    }
}

// --- Stages --------------------------------------------------------------------------------------

// Calls one of the consumer's functions without the lock.
static void call_consumer(struct pipeline *pipeline, struct segment *segment,
                          bool (*function)(void *, struct segment *, struct error *),
                          enum pass_stage stage)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "no memory for a segment"); // if it sets no other
    uint64_t start_ns = monotonic_ns();
    pthread_mutex_unlock(&pipeline->lock);
    bool is_done = !function || function(consumer_of(pipeline)->self, segment, &err);
    pass_add_time(pipeline, stage, start_ns);
    pthread_mutex_lock(&pipeline->lock);
    if (!is_done && pipeline->status == STATUS_OK) {
        pipeline->error = err;
        pipeline->status = err.status;
    }
}

// Whether it belongs to another shard. What comes after the last segment of a shard need not be
// read. Called with the lock held.
static bool is_foreign(struct pipeline *pipeline, const struct segment_slot *slot)
{
    const struct segment_consumer *consumer = consumer_of(pipeline);
    if (!consumer->end_position)
        return false;
    if (slot->segment.first_event < pipeline->events_before)
        return true;                // its first event is in the text before the shard
    uint64_t position = UINT64_MAX; // where the first event of the segment begins
    for (size_t i = 0; i < slot->chunks.count && position == UINT64_MAX; i++)
        position = chunk_data_position(slot->chunks.items[i], slot->segment.first_event);
    if (position >= consumer->end_position && pipeline->end == UINT64_MAX) {
        pipeline->end = pipeline->next_taken;
        segments_deal(pipeline); // nothing may come after this
        pthread_cond_broadcast(&pipeline->changed);
    }
    return position < consumer->from_position || position >= consumer->end_position;
}

// Gathers the chunks that were dealt to a segment, and those that are dealt meanwhile.
static void gather(struct pipeline *pipeline, struct segment_slot *slot)
{
    // Of a short trace, only as many rows as it has.
    const uint32_t event_count =
        slot->state == SEGMENT_SEALED ? slot->event_count : consumer_of(pipeline)->segment_events;
    slot->is_gathering = true;
    slot->is_foreign = is_foreign(pipeline, slot);
    for (size_t i = 0; i < slot->chunks.count; i++) {
        struct chunk_data *data = slot->chunks.items[i];
        pthread_mutex_unlock(&pipeline->lock);
        uint64_t start_ns = monotonic_ns();
        // The only effect of segments of other shards on ours is which stack pointer is in use.
        bool has_memory = slot->is_foreign && !pass_carries(pipeline)
                              ? segment_gather_modes(&slot->segment, data)
                              : segment_reserve(&slot->segment, event_count) &&
                                    segment_gather(&slot->segment, data);
        pass_add_time(pipeline, STAGE_GATHER, start_ns);
        pthread_mutex_lock(&pipeline->lock);
        if (!has_memory)
            fail_without_memory(pipeline);
        pass_release_chunk_data(pipeline, data);
    }
    slot->chunks.count = 0;
    slot->is_gathering = false;
    if (slot->state != SEGMENT_SEALED)
        return;
    slot->segment.event_count = slot->event_count;
    slot->state = SEGMENT_FINISHING;
    pthread_mutex_unlock(&pipeline->lock);
    segment_finish(&slot->segment);
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SEGMENT_GATHERED;
}

static void carry_ready(struct pipeline *pipeline)
{
    struct segment_slot *slot;
    while (!pipeline->is_carrying && pipeline->status == STATUS_OK &&
           (slot = segment_at(pipeline, pipeline->next_carried))->state == SEGMENT_GATHERED) {
        pipeline->is_carrying = true;
        pthread_mutex_unlock(&pipeline->lock);
        const struct line_carry *carry = pipeline->language->carry;
        bool has_memory = !carry || carry->carry(pipeline->carried, &slot->segment);
        pthread_mutex_lock(&pipeline->lock);
        if (!has_memory)
            fail_without_memory(pipeline);
        if (!slot->is_foreign)
            call_consumer(pipeline, &slot->segment, consumer_of(pipeline)->carry, STAGE_CARRY);
        pipeline->is_carrying = false;
        pipeline->next_carried++;
        slot->state = SEGMENT_CARRIED;
        pthread_cond_broadcast(&pipeline->changed);
    }
}

static void write_ready(struct pipeline *pipeline)
{
    struct segment_slot *slot;
    while (!pipeline->is_writing && pipeline->status == STATUS_OK &&
           (slot = segment_at(pipeline, pipeline->next_written))->state == SEGMENT_BUILT) {
        pipeline->is_writing = true;
        if (!slot->is_foreign)
            call_consumer(pipeline, &slot->segment, consumer_of(pipeline)->write, STAGE_WRITE);
        pipeline->is_writing = false;
        pipeline->next_written++;
        pipeline->spare_segments[pipeline->spare_segment_count++] = slot->segment;
        slot->segment = (struct segment){0};
        slot->state = SEGMENT_FREE;
        if (pipeline->dealing)
            segments_deal(pipeline);
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// The oldest segment in that state.
static struct segment_slot *oldest(struct pipeline *pipeline, enum segment_state state)
{
    for (uint64_t i = pipeline->next_written; i < pipeline->next_sealed; i++) {
        if (segment_at(pipeline, i)->state == state)
            return segment_at(pipeline, i);
    }
    return NULL;
}

// The oldest segment that has something to gather. Whether one belongs to another shard is only
// known when it is sealed.
static struct segment_slot *oldest_to_gather(struct pipeline *pipeline)
{
    for (uint64_t i = pipeline->next_written; i <= pipeline->next_sealed; i++) {
        struct segment_slot *slot = segment_at(pipeline, i);
        const bool is_begun = slot->state == SEGMENT_COLLECTING && slot->chunks.count > 0 &&
                              !consumer_of(pipeline)->end_position;
        if (!slot->is_gathering && (slot->state == SEGMENT_SEALED || is_begun))
            return slot;
    }
    return NULL;
}

bool segments_work(struct pipeline *pipeline)
{
    struct segment_slot *slot;
    if (!pipeline->segment_slot_count)
        return false;
    if ((slot = oldest(pipeline, SEGMENT_CARRIED))) {
        slot->state = SEGMENT_BUILDING;
        if (!slot->is_foreign)
            call_consumer(pipeline, &slot->segment, consumer_of(pipeline)->build, STAGE_BUILD);
        slot->state = SEGMENT_BUILT;
        write_ready(pipeline);
        return true;
    }
    if ((slot = oldest_to_gather(pipeline))) {
        gather(pipeline, slot);
        carry_ready(pipeline);
        return true;
    }
    return false;
}

bool segments_are_done(const struct pipeline *pipeline)
{
    bool is_sealed = pipeline->is_sealed || pipeline->is_pausing;
    return !pipeline->segment_slot_count ||
           (is_sealed && !pipeline->dealing && pipeline->next_written == pipeline->next_sealed);
}

bool segments_begin(struct pipeline *pipeline)
{
    pipeline->segment_slot_count = (size_t)pipeline->options->threads + 2;
    pipeline->segments = calloc(pipeline->segment_slot_count, sizeof *pipeline->segments);
    pipeline->spare_segments =
        calloc(pipeline->segment_slot_count, sizeof *pipeline->spare_segments);
    return pipeline->segments && pipeline->spare_segments;
}

static void free_segment(const struct segment_consumer *consumer, struct segment *segment)
{
    if (segment->own && consumer->free_own)
        consumer->free_own(consumer->self, segment->own);
    segment_free(segment);
}

void segments_free(struct pipeline *pipeline)
{
    const struct segment_consumer *consumer = consumer_of(pipeline);
    for (size_t i = 0; pipeline->segments && i < pipeline->segment_slot_count; i++) {
        struct segment_slot *slot = &pipeline->segments[i];
        for (size_t chunk = 0; chunk < slot->chunks.count; chunk++)
            pass_release_chunk_data(pipeline, slot->chunks.items[chunk]);
        free(slot->chunks.items);
        free_segment(consumer, &slot->segment);
    }
    while (pipeline->spare_segment_count)
        free_segment(consumer, &pipeline->spare_segments[--pipeline->spare_segment_count]);
    free(pipeline->spare_segments);
    free(pipeline->segments);
    if (pipeline->dealing)
        pass_release_chunk_data(pipeline, pipeline->dealing);
    while (pipeline->spare_templates) {
        struct line_templates *templates = pipeline->spare_templates;
        pipeline->spare_templates = templates->next_spare;
        line_templates_free(templates);
    }
    while (pipeline->spare) {
        struct chunk_data *data = pipeline->spare;
        pipeline->spare = data->next_spare;
        chunk_data_free(data);
    }
}
