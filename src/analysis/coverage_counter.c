#include "analysis/coverage_counter.h"

#include <stdlib.h>

#define SEGMENT_EVENTS (1 << 16)

// Of one segment, lane by lane.
struct own_lane {
    struct pc_counts counts;
    uint64_t events_before, events, last_event, last_time;
};

struct own {
    VEC(, struct own_lane) lanes;
};

static bool no_memory(struct error *err)
{
    error_set(err, STATUS_MEMORY, "no memory to count instructions");
    return false;
}

// Grows a vector to `wanted` items, new ones all zero. False: no memory.
#define GROW(v, wanted)                                                                            \
    ((v)->count >= (wanted) ||                                                                     \
     (VEC_ROOM((v), (wanted) - (v)->count) &&                                                      \
      memset((v)->items + (v)->count, 0, ((wanted) - (v)->count) * sizeof *(v)->items) &&          \
      ((v)->count = (wanted))))

// Empties what an earlier segment left.
static void empty(struct own *own)
{
    for (size_t i = 0; i < own->lanes.count; i++) {
        pc_counts_clear(&own->lanes.items[i].counts);
        own->lanes.items[i].events = 0;
    }
}

// Events have numbers in their lanes, which go on from segment to segment.
static bool carry(void *self, struct segment *segment, struct error *err)
{
    struct coverage_counter *counter = self;
    const struct segment_events *events = &segment->events;
    struct own *own = segment->own;
    if (!own)
        segment->own = own = calloc(1, sizeof *own);
    if (!own)
        return no_memory(err);
    empty(own);
    for (uint32_t i = 0; i < segment->event_count; i++) {
        if (!GROW(&own->lanes, events->lane[i] + (size_t)1))
            return no_memory(err);
        struct own_lane *lane = &own->lanes.items[events->lane[i]];
        lane->events++;
        lane->last_event = segment->first_event + i;
        lane->last_time = events->time[i];
    }
    if (!GROW(&counter->events_begun, own->lanes.count))
        return no_memory(err);
    for (size_t i = 0; i < own->lanes.count; i++) {
        own->lanes.items[i].events_before = counter->events_begun.items[i];
        counter->events_begun.items[i] += own->lanes.items[i].events;
    }
    return true;
}

static struct pc_count count_of(uint64_t pc, uint8_t flags)
{
    bool is_executed = flags & EVENT_EXECUTED;
    return (struct pc_count){pc & ~UINT64_C(1), is_executed, !is_executed};
}

static bool build(void *self, struct segment *segment, struct error *err)
{
    const struct coverage_counter *counter = self;
    const struct segment_events *events = &segment->events;
    struct own *own = segment->own;
    for (size_t i = 0; i < own->lanes.count; i++)
        own->lanes.items[i].events = 0;
    for (uint32_t i = 0; i < segment->event_count; i++) {
        struct own_lane *lane = &own->lanes.items[events->lane[i]];
        uint64_t number = lane->events_before + lane->events++;
        if (!(events->flags[i] & EVENT_HAS_INSTRUCTION) ||
            !call_range_has(&counter->range, events->time[i], number))
            continue;
        const struct pc_count one = count_of(events->pc[i], events->flags[i]);
        if (!pc_counts_add(&lane->counts, &one))
            return no_memory(err);
    }
    return true;
}

// An instruction that joins the last event of its lane, which an earlier segment had.
static bool add_late(struct coverage_counter *counter, const struct segment_late *late)
{
    if (!(late->flags & EVENT_HAS_INSTRUCTION))
        return true;
    for (size_t i = 0; i < counter->lanes.count; i++) {
        struct coverage_lane *lane = &counter->lanes.items[i];
        if (lane->last_number == 0 || lane->last_event != late->event)
            continue;
        const struct pc_count one = count_of(late->pc, late->flags);
        return !call_range_has(&counter->range, lane->last_time, lane->last_number - 1) ||
               pc_counts_add(&lane->counts, &one);
    }
    return true;
}

static bool add_lane(struct coverage_lane *lane, const struct own_lane *own)
{
    if (own->events) {
        lane->last_event = own->last_event;
        lane->last_time = own->last_time;
        lane->last_number = own->events_before + own->events;
    }
    return pc_counts_add_all(&lane->counts, &own->counts);
}

static bool add_segment(void *self, struct segment *segment, struct error *err)
{
    struct coverage_counter *counter = self;
    const struct own *own = segment->own;
    if (!GROW(&counter->lanes, own->lanes.count))
        return no_memory(err);
    for (size_t i = 0; i < segment->late.count; i++) {
        if (!add_late(counter, &segment->late.items[i]))
            return no_memory(err);
    }
    for (size_t i = 0; i < own->lanes.count; i++) {
        if (!add_lane(&counter->lanes.items[i], &own->lanes.items[i]))
            return no_memory(err);
    }
    return true;
}

static void free_own(void *self, void *own_lanes)
{
    struct own *own = own_lanes;
    (void)self;
    for (size_t i = 0; i < own->lanes.count; i++)
        pc_counts_free(&own->lanes.items[i].counts);
    free(own->lanes.items);
    free(own);
}

struct segment_consumer coverage_counter_consumer(struct coverage_counter *counter)
{
    return (struct segment_consumer){.self = counter,
                                     .segment_events = SEGMENT_EVENTS,
                                     .carry = carry,
                                     .build = build,
                                     .write = add_segment,
                                     .free_own = free_own};
}

void coverage_counter_free(struct coverage_counter *counter)
{
    for (size_t i = 0; i < counter->lanes.count; i++)
        pc_counts_free(&counter->lanes.items[i].counts);
    free(counter->lanes.items);
    free(counter->events_begun.items);
    *counter = (struct coverage_counter){0};
}
