#include "analysis/coverage_counter.h"

#include <stdlib.h>

#define SEGMENT_EVENTS (1 << 16)

// Of one segment, lane by lane.
struct own_lane {
    struct pc_counts counts;
    uint64_t events_before, events, last_event, last_time;
    struct last_instruction first, last;
    bool is_interrupted_before; // an exception came before the first instruction
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
        own->lanes.items[i].first.is_there = own->lanes.items[i].last.is_there = false;
        own->lanes.items[i].is_interrupted_before = false;
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

// --- What an instruction did ---------------------------------------------------------------------

static struct pc_count count_of(const struct last_instruction *last, uint64_t end_time)
{
    return (struct pc_count){
        .pc = last->pc & ~UINT64_C(1),
        .executed = last->is_executed,
        .skipped = !last->is_executed,
        .ticks = end_time > last->time ? end_time - last->time : 0,
        .position = last->position,
    };
}

// Counts an instruction that another follows.
static bool settle(struct pc_counts *counts, const struct last_instruction *last,
                   const struct last_instruction *next)
{
    if (!last->is_there || !last->is_counted)
        return true;
    struct pc_count one = count_of(last, next->is_counted ? next->time : 0);
    uint64_t distance = (next->pc & ~UINT64_C(1)) - one.pc;
    bool is_followed = last->is_executed && !last->is_interrupted;
    one.followed_by_2 = is_followed && distance == 2;
    one.followed_by_4 = is_followed && distance == 4;
    one.went = is_followed && distance != 2 && distance != 4;
    return pc_counts_add(counts, &one);
}

// The instruction of a row, if there is one.
static struct last_instruction instruction_of(const struct segment_events *events, uint32_t row,
                                              bool is_counted)
{
    uint8_t flags = events->flags[row];
    bool is_late = events->instruction_position[row] != events->position[row];
    return (struct last_instruction){
        .pc = events->pc[row],
        .time = events->time[row],
        .position = events->instruction_position[row],
        .is_there = flags & EVENT_HAS_INSTRUCTION,
        .is_executed = flags & EVENT_EXECUTED,
        .is_counted = is_counted,
        .is_interrupted = (flags & EVENT_EXCEPTION) && !is_late,
    };
}

// An exception that came before whatever is next.
static void interrupt(struct own_lane *lane)
{
    if (lane->last.is_there)
        lane->last.is_interrupted = true;
    else
        lane->is_interrupted_before = true;
}

static bool add_instruction(struct own_lane *lane, const struct last_instruction *next)
{
    if (!settle(&lane->counts, &lane->last, next))
        return false;
    if (!lane->first.is_there)
        lane->first = *next;
    lane->last = *next;
    return true;
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
        const struct last_instruction next =
            instruction_of(events, i, call_range_has(&counter->range, events->time[i], number));
        if ((events->flags[i] & EVENT_EXCEPTION) && !(next.is_there && next.is_interrupted))
            interrupt(lane);
        if (next.is_there && !add_instruction(lane, &next))
            return no_memory(err);
    }
    return true;
}

// --- In the order of segments --------------------------------------------------------------------

// What joins the last event of its lane, which an earlier segment had.
static bool join_late(struct coverage_counter *counter, struct coverage_lane *lane,
                      const struct segment_late *late)
{
    const struct last_instruction next = {
        .pc = late->pc,
        .time = lane->last_time,
        .position = late->instruction_position,
        .is_there = true,
        .is_executed = late->flags & EVENT_EXECUTED,
        .is_counted = call_range_has(&counter->range, lane->last_time, lane->last_number - 1),
    };
    lane->last.is_interrupted |= (late->flags & EVENT_EXCEPTION) != 0;
    if (!(late->flags & EVENT_HAS_INSTRUCTION))
        return true;
    if (!settle(&lane->counts, &lane->last, &next))
        return false;
    lane->last = next;
    return true;
}

static bool add_late(struct coverage_counter *counter, const struct segment_late *late)
{
    for (size_t i = 0; i < counter->lanes.count; i++) {
        struct coverage_lane *lane = &counter->lanes.items[i];
        if (lane->last_number && lane->last_event == late->event)
            return join_late(counter, lane, late);
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
    lane->last.is_interrupted |= own->is_interrupted_before;
    if (own->first.is_there) {
        if (!settle(&lane->counts, &lane->last, &own->first))
            return false;
        lane->last = own->last;
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

bool coverage_counter_add_lane(const struct coverage_counter *counter, size_t lane,
                               struct pc_counts *counts)
{
    const struct coverage_lane *counted = &counter->lanes.items[lane];
    const struct pc_count last = count_of(&counted->last, counted->last_time);
    bool is_last_counted = counted->last.is_there && counted->last.is_counted;
    return pc_counts_add_all(counts, &counted->counts) &&
           (!is_last_counted || pc_counts_add(counts, &last));
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
