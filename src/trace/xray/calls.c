#include "trace/xray/calls.h"

bool xray_calls_begin(struct xray_calls *calls, const struct xray_log *log, uint32_t thread)
{
    calls->first_event += calls->lane.events;
    xray_lane_free(&calls->lane);
    return xray_lane_begin(&calls->lane, log, thread);
}

void xray_calls_free(struct xray_calls *calls)
{
    xray_lane_free(&calls->lane);
}

static uint64_t *lengths_of(const struct xray_calls *calls)
{
    return (uint64_t *)(void *)calls->lengths->base;
}

// --- Batches -------------------------------------------------------------------------------------

// Local state during a batch. If no length is to be written, it is written to `nowhere`.
struct numbering {
    uint64_t number;
    uint64_t *lengths, nowhere;
    struct call_group *group;
    size_t row;
};

static ALWAYS_INLINE void measure_step(void *self, struct xray_call *top,
                                       const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    xray_lane_step(batch, top, record);
    struct numbering *numbering = batch->self;
    uint64_t *length = record->is_exit ? &numbering->lengths[top->tsc] : &numbering->nowhere;
    *length = batch->event - 1 - top->path; // the exit comes after the call
    top[1].tsc = numbering->number;
    numbering->number += 1 - record->is_exit;
}

// Writes a call that begins to a row of the group.
static ALWAYS_INLINE void list_call(struct call_group *group, size_t row, uint64_t event,
                                    uint64_t depth, uint64_t parent, uint32_t function)
{
    group->columns[PART_CALL_ENTRIES][row] = event;
    group->columns[PART_CALL_DEPTHS][row] = depth;
    group->columns[PART_CALL_PARENTS][row] = depth > 1 ? parent : 0;
    group->columns[PART_CALL_PCS][row] = function_pc(function);
}

static ALWAYS_INLINE void list_step(void *self, struct xray_call *top,
                                    const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    xray_lane_step(batch, top, record);
    struct numbering *numbering = batch->self;
    list_call(numbering->group, numbering->row, batch->event, (uint64_t)(top - batch->outside) + 1,
              numbering->number - top->tsc, record->function);
    top[1].tsc = numbering->number;
    numbering->number += 1 - record->is_exit;
    numbering->row += 1 - (size_t)record->is_exit;
}

// Processes up to `count` plain records. False: no memory.
static ALWAYS_INLINE bool take_batch(struct xray_calls *calls, uint64_t count,
                                     struct call_group *group, bool is_listing)
{
    struct numbering numbering = {calls->number, lengths_of(calls), 0, group,
                                  is_listing ? group->count : 0};
    if (!xray_lane_run(&calls->lane, count, &numbering, is_listing ? list_step : measure_step))
        return false;
    calls->number = numbering.number;
    if (is_listing)
        group->count = numbering.row;
    return true;
}

// --- Single records ------------------------------------------------------------------------------

struct single {
    struct xray_calls *calls;
    struct call_group *group; // NULL: lengths are measured
};

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    const struct single *single = self;
    uint64_t number = single->calls->number++;
    if (single->group)
        list_call(single->group, single->group->count++, call->path, xray_match_depth(&lane->match),
                  number - call[-1].tsc, record->function);
    call->tsc = number;
    return true;
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    const struct single *single = self;
    (void)record, (void)is_unwound;
    if (!single->group) // event - 1 is the exit, which comes after the call
        lengths_of(single->calls)[call->tsc] = lane->events - 2 - call->path;
    return true;
}

// The buffers up to the current one begin before the next event.
static void enter_buffers(struct xray_calls *calls)
{
    while (calls->next_buffer <= calls->lane.cursor.buffer_index)
        calls->buffer_events[calls->next_buffer++] = calls->first_event + calls->lane.events;
}

static bool take_record(struct xray_calls *calls, const struct xray_record *record,
                        struct call_group *group)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};
    struct single single = {calls, group};
    if (calls->buffer_events)
        enter_buffers(calls);
    return xray_lane_take_any(&calls->lane, record, &single, &visitor);
}

// --- A thread ------------------------------------------------------------------------------------

// Lists the calls of `group`, or measures them up to `end_event`.
static ALWAYS_INLINE enum xray_calls_progress advance(struct xray_calls *calls, uint64_t end_event,
                                                      struct call_group *group, bool is_listing)
{
    struct xray_lane *lane = &calls->lane;
    struct xray_record record;
    uint64_t left;
    while ((left = is_listing ? CALL_GROUP - group->count : end_event - lane->events) > 0) {
        uint64_t count = u64_min(left, XRAY_BATCH), before = lane->events;
        if (!take_batch(calls, count, group, is_listing))
            return XRAY_CALLS_NO_MEMORY;
        if (lane->events - before == count)
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
    // An event begins at most one call.
    uint64_t numbers = calls->number + events;
    if (!spool_reserve(calls->lengths, numbers * sizeof(uint64_t)))
        return XRAY_CALLS_NO_MEMORY;
    return advance(calls, calls->lane.events + events, NULL, false);
}

void xray_calls_end_measured(struct xray_calls *calls)
{
    struct xray_lane *lane = &calls->lane;
    size_t depth = xray_match_depth(&lane->match);
    lane->counts.unmatched_entries += depth;
    for (size_t i = 0; i < depth; i++) {
        const struct xray_call *call = xray_lane_call(lane, i);
        lengths_of(calls)[call->tsc] = (lane->events - 1 - call->path) | XRAY_CALL_IS_OPEN;
    }
}

enum xray_calls_progress xray_calls_list(struct xray_calls *calls, struct call_group *group)
{
    return advance(calls, 0, group, true);
}
