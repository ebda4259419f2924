#include "cmd/xray/in_order.h"

#include <stdlib.h>

// --- One record ----------------------------------------------------------------------------------

static void add_event(struct xray_event_lane *lane, const struct xray_event *event)
{
    lane->events[lane->count++] = *event;
}

static bool enter(struct xray_events *events, struct xray_event_lane *lane,
                  const struct xray_record *record)
{
    const struct xray_call *outer = xray_match_top(&lane->match);
    uint64_t path = xray_path(outer->path, record->function);
    uint32_t stack =
        xray_stack_by_path(&events->stacks, xray_slot(outer->who), record->function, path);
    if (stack == XRAY_NO_STACK)
        return false;
    const struct xray_call call = {record->tsc, xray_who_of(record->function, stack), path};
    add_event(lane, &(struct xray_event){.tsc = record->tsc,
                                         .function = record->function,
                                         .thread = lane->cursor.thread,
                                         .stack = stack});
    return xray_match_enter(&lane->match, &call);
}

static bool begin_exit(struct xray_events *events, struct xray_event_lane *lane,
                       const struct xray_record *record)
{
    lane->left = xray_match_exit(&lane->match, record->function, true, &events->exits);
    lane->exit_tsc = record->tsc;
    lane->is_leaving = lane->left != UINT64_MAX;
    return !lane->match.open.lacks_memory;
}

static bool take_record(struct xray_events *events, struct xray_event_lane *lane,
                        const struct xray_record *record)
{
    if (record->kind == XRAY_FAULT)
        trace_damage_add(&events->damage, &record->fault);
    if (!xray_is_function(record->kind))
        return true;
    return (xray_is_enter(record->kind) ? enter : begin_exit)(events, lane, record);
}

// --- A batch -------------------------------------------------------------------------------------

struct filling {
    struct xray_event_lane *lane;
    struct xray_batch *batch;
};

// Until the batch is complete, the stack of an event is the place of its call.
static ALWAYS_INLINE void fill(void *self, struct xray_call *top, const struct xray_step *record)
{
    struct filling *filling = self;
    struct xray_event_lane *lane = filling->lane;
    size_t entry = filling->batch->entry_count;
    uint32_t outer = xray_slot(top->who), place = XRAY_SLOT_NEW | (uint32_t)entry;
    add_event(lane, &(struct xray_event){.tsc = record->tsc,
                                         .function = record->function,
                                         .thread = lane->cursor.thread,
                                         .stack = record->is_exit ? outer : place,
                                         .is_end = record->is_exit});
    top[1].path = xray_path(top->path, record->function);
    top[1].who = xray_who_of(record->function, place);
    filling->batch->entries[entry] = (struct xray_entry){top[1].path, record->function, outer};
    filling->batch->entry_count = entry + 1 - record->is_exit;
}

static bool take_batch(struct xray_events *events, struct xray_event_lane *lane)
{
    struct filling filling = {lane, &events->batch};
    events->batch.entry_count = 0;
    if (!xray_match_each(&lane->match, &lane->cursor, XRAY_BATCH, &filling, fill) ||
        !xray_stacks_of_batch(&events->stacks, &lane->match, &events->batch, events->entered))
        return false;
    for (uint32_t i = 0; i < lane->count; i++)
        lane->events[i].stack = xray_stack_of(events->entered, lane->events[i].stack);
    return true;
}

// --- A lane --------------------------------------------------------------------------------------

// Reads until there are events. False: there are no more, or no memory.
static bool fill_lane(struct xray_events *events, struct xray_event_lane *lane)
{
    struct xray_record record;
    lane->next = lane->count = 0;
    while (!lane->count && !events->lacks_memory) {
        if (lane->is_leaving) {
            // Ends calls for the current exit, as many as there is room for.
            while (xray_match_depth(&lane->match) > lane->left && lane->count < lane->room) {
                const struct xray_call call = xray_match_leave(&lane->match);
                add_event(lane, &(struct xray_event){.tsc = lane->exit_tsc,
                                                     .function = xray_function(call.who),
                                                     .thread = lane->cursor.thread,
                                                     .stack = xray_slot(call.who),
                                                     .is_end = true});
            }
            lane->is_leaving = xray_match_depth(&lane->match) > lane->left;
        } else if (xray_is_plain_next(&lane->cursor) && !take_batch(events, lane))
            events->lacks_memory = true;
        else if (lane->count)
            break;
        else if (!xray_next(&lane->cursor, &record))
            return false;
        else if (!take_record(events, lane, &record))
            events->lacks_memory = true;
    }
    return !events->lacks_memory;
}

static bool begin_lane(struct xray_events *events, uint32_t thread)
{
    struct xray_event_lane *lane = &events->lanes[thread];
    // Function records are the shortest ones.
    uint64_t most = events->log->threads.items[thread].size_bytes / XRAY_FUNCTION_BYTES + 1;
    lane->room = (uint32_t)u64_min(most, XRAY_BATCH);
    lane->events = calloc(lane->room, sizeof *lane->events);
    xray_cursor_thread(&lane->cursor, events->log, thread);
    return lane->events && xray_match_begin(&lane->match, events->stacks.stacks.items[0].path, 0);
}

// --- Reading events ------------------------------------------------------------------------------

static ALWAYS_INLINE uint64_t tsc_of(const struct xray_events *events,
                                     const struct xray_event_lane *lane)
{
    return events->is_sorted ? lane->events[lane->next].tsc : 0;
}

bool xray_events_begin(struct xray_events *events, const struct xray_log *log, bool is_sorted)
{
    size_t threads = log->threads.count;
    *events = (struct xray_events){.log = log, .is_sorted = is_sorted};
    events->lanes = calloc(threads + 1, sizeof *events->lanes);
    if (!xray_turns_begin(&events->turns, threads) || !events->lanes ||
        !xray_stacks_begin(&events->stacks))
        return false;
    for (uint32_t i = 0; i < threads; i++) {
        struct xray_event_lane *lane = &events->lanes[i];
        if (!begin_lane(events, i))
            return false;
        if (fill_lane(events, lane))
            xray_turns_add(&events->turns, (struct xray_turn){tsc_of(events, lane), i});
    }
    return !events->lacks_memory;
}

uint64_t xray_events_start(const struct xray_events *events)
{
    uint64_t start = UINT64_MAX;
    for (size_t i = 0; i < events->log->threads.count; i++) {
        const struct xray_event_lane *lane = &events->lanes[i];
        start = lane->count ? u64_min(start, lane->events[0].tsc) : start;
    }
    return start == UINT64_MAX ? 0 : start;
}

size_t xray_events_read(struct xray_events *events, struct xray_event *found, size_t room)
{
    struct xray_turns *turns = &events->turns;
    size_t count = 0;
    while (turns->count && count < room) {
        struct xray_event_lane *lane = &events->lanes[turns->heap[0].thread];
        found[count++] = lane->events[lane->next++];
        if (UNLIKELY(lane->next == lane->count) && !fill_lane(events, lane))
            xray_turns_end(turns);
        else
            xray_turns_go_on(turns, tsc_of(events, lane));
    }
    return count;
}

void xray_events_free(struct xray_events *events)
{
    for (size_t i = 0; events->lanes && i < events->log->threads.count; i++) {
        xray_match_free(&events->lanes[i].match);
        free(events->lanes[i].events);
    }
    free(events->lanes);
    xray_turns_free(&events->turns);
    xray_stacks_free(&events->stacks);
}
