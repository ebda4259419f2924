#include "pipeline/xray_calls.h"

#include <stdlib.h>

bool xray_calls_begin(struct xray_calls *calls, const struct xray_log *log, uint32_t thread,
                      bool deduce)
{
    calls->first_event += calls->lane.events;
    xray_lane_begin(&calls->lane, log, thread, deduce);
    return xray_match_begin(&calls->match, 0, 0);
}

void xray_calls_free(struct xray_calls *calls)
{
    xray_match_free(&calls->match);
}

static uint64_t *lengths_of(const struct xray_calls *calls)
{
    return (uint64_t *)(void *)calls->lengths->base;
}

// --- Batches -------------------------------------------------------------------------------------

// What is kept at hand through a batch. Where nothing is to be written, it goes nowhere.
struct batch {
    uint64_t event, number, time;
    uint64_t entries, tail_exits, falling_times;
    uint64_t *lengths, nowhere;
    struct call_group *group;
    const struct xray_call *outside; // of all calls
};

static ALWAYS_INLINE void step(struct batch *batch, struct xray_call *top,
                               const struct xray_step *record)
{
    uint64_t is_entry = 1 - record->is_exit;
    top[1] = (struct xray_call){batch->event++, record->function, batch->number};
    batch->number += is_entry;
    batch->entries += is_entry;
}

static ALWAYS_INLINE void measure_step(void *self, struct xray_call *top,
                                       const struct xray_step *record)
{
    struct batch *batch = self;
    uint64_t *length = record->is_exit ? &batch->lengths[top->path] : &batch->nowhere;
    *length = batch->event - 1 - top->tsc;
    batch->tail_exits += record->kind == XRAY_TAIL_EXIT;
    batch->falling_times += record->tsc < batch->time;
    batch->time = u64_max(batch->time, record->tsc);
    step(batch, top, record);
}

// A call that begins, as the next row of the group.
static ALWAYS_INLINE void list_call(struct call_group *group, size_t row, uint64_t event,
                                    uint64_t depth, uint64_t parent, uint32_t function)
{
    group->columns[PART_CALL_ENTRIES][row] = event;
    group->columns[PART_CALL_DEPTHS][row] = depth;
    group->columns[PART_CALL_PARENTS][row] = depth > 1 ? parent : 0;
    group->columns[PART_CALL_PCS][row] = xray_pc(function);
}

static ALWAYS_INLINE void list_step(void *self, struct xray_call *top,
                                    const struct xray_step *record)
{
    struct batch *batch = self;
    list_call(batch->group, batch->group->count + (size_t)batch->entries, batch->event,
              (uint64_t)(top - batch->outside) + 1, batch->number - top->path, record->function);
    step(batch, top, record);
}

// Takes up to `count` records that need no care. False: no memory.
static ALWAYS_INLINE bool take_batch(struct xray_calls *calls, size_t count,
                                     struct call_group *group, bool is_listing)
{
    struct xray_lane *lane = &calls->lane;
    struct xray_match *match = &calls->match;
    if (!VEC_ROOM(&match->calls, XRAY_BATCH + 1))
        return false;
    struct batch batch = {.event = lane->events,
                          .number = calls->number,
                          .time = lane->time,
                          .lengths = lengths_of(calls),
                          .group = group,
                          .outside = match->calls.items};
    if (!xray_match_each(match, &lane->cursor, count, &batch,
                         is_listing ? list_step : measure_step))
        return false;
    uint64_t taken = batch.event - lane->events;
    if (!taken)
        return true;
    lane->events = batch.event;
    lane->time = batch.time;
    lane->last_offset = (uint64_t)(lane->cursor.at - lane->cursor.log->data) - XRAY_FUNCTION_BYTES;
    lane->counts.calls += taken - batch.entries;
    lane->counts.tail_exits += batch.tail_exits;
    lane->counts.falling_times += batch.falling_times;
    calls->number = batch.number;
    if (is_listing)
        group->count += (size_t)batch.entries;
    return true;
}

// --- Single records ------------------------------------------------------------------------------

static bool enter(struct xray_calls *calls, uint32_t function, struct call_group *group)
{
    const struct xray_call call = {calls->lane.events - 1, function, calls->number};
    if (group)
        list_call(group, group->count++, call.tsc, xray_match_depth(&calls->match) + 1,
                  call.path - xray_match_top(&calls->match)->path, function);
    calls->number++;
    return xray_match_enter(&calls->match, &call);
}

static bool leave(struct xray_calls *calls, const struct xray_record *record, bool is_measuring)
{
    struct xray_lane *lane = &calls->lane;
    uint64_t depth = xray_match_depth(&calls->match);
    uint64_t left = xray_match_exit(&calls->match, record->function, lane->deduce);
    lane->counts.tail_exits += record->kind == XRAY_TAIL_EXIT;
    if (left == UINT64_MAX) {
        lane->counts.unmatched_exits++;
        return !calls->match.open.lacks_memory;
    }
    lane->counts.calls++;
    lane->counts.unmatched_entries += depth - left - 1;
    for (; depth > left; depth--) {
        const struct xray_call call = xray_match_leave(&calls->match);
        if (is_measuring) // the exit is behind the call
            lengths_of(calls)[call.path] = lane->events - 2 - call.tsc;
    }
    return true;
}

// The buffers up to the one in hand begin before the next event.
static void enter_buffers(struct xray_calls *calls)
{
    while (calls->next_buffer <= calls->lane.cursor.buffer_index)
        calls->buffer_events[calls->next_buffer++] = calls->first_event + calls->lane.events;
}

static bool take_record(struct xray_calls *calls, const struct xray_record *record,
                        struct call_group *group)
{
    struct xray_lane *lane = &calls->lane;
    if (calls->buffer_events)
        enter_buffers(calls);
    if (!xray_is_function(record->kind)) {
        xray_lane_note_other(lane, record);
        return true;
    }
    xray_lane_move_time(lane, record);
    return xray_is_enter(record->kind) ? enter(calls, record->function, group)
                                       : leave(calls, record, !group);
}

// --- A thread ------------------------------------------------------------------------------------

// Lists the calls of `group`, or measures them up to `end_event`. The first record of a lane is
// taken alone, as it begins its times.
static ALWAYS_INLINE enum xray_calls_progress advance(struct xray_calls *calls, uint64_t end_event,
                                                      struct call_group *group, bool is_listing)
{
    struct xray_lane *lane = &calls->lane;
    struct xray_record record;
    uint64_t left;
    while ((left = is_listing ? CALL_GROUP - group->count : end_event - lane->events) > 0) {
        uint64_t count = lane->events ? u64_min(left, XRAY_BATCH) : 0, before = lane->events;
        if (!take_batch(calls, (size_t)count, group, is_listing))
            return XRAY_CALLS_NO_MEMORY;
        if (count && lane->events - before == count)
            continue;
        if (!xray_next(&lane->cursor, &record))
            return XRAY_CALLS_LANE_ENDS;
        if (!take_record(calls, &record, group))
            return XRAY_CALLS_NO_MEMORY;
    }
    return XRAY_CALLS_GO_ON;
}

enum xray_calls_progress xray_calls_measure(struct xray_calls *calls, uint64_t events)
{
    // An event begins one call at most.
    uint64_t numbers = calls->number + events;
    if (!spool_reserve(calls->lengths, numbers * sizeof(uint64_t)))
        return XRAY_CALLS_NO_MEMORY;
    return advance(calls, calls->lane.events + events, NULL, false);
}

void xray_calls_end_measured(struct xray_calls *calls)
{
    struct xray_lane *lane = &calls->lane;
    lane->counts.unmatched_entries += xray_match_depth(&calls->match);
    for (size_t i = 1; i < calls->match.calls.count; i++) {
        const struct xray_call *call = &calls->match.calls.items[i];
        lengths_of(calls)[call->path] = (lane->events - 1 - call->tsc) | XRAY_CALL_IS_OPEN;
    }
}

enum xray_calls_progress xray_calls_list(struct xray_calls *calls, struct call_group *group)
{
    return advance(calls, 0, group, true);
}
