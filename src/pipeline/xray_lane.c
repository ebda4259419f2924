#include "pipeline/xray_lane.h"

#include <stdlib.h>

void xray_lane_begin(struct xray_lane *lane, const struct xray_log *log, uint32_t thread,
                     bool deduce)
{
    *lane = (struct xray_lane){.deduce = deduce, .next_wanted = UINT64_MAX};
    xray_cursor_thread(&lane->cursor, log, thread);
}

void xray_lane_free(struct xray_lane *lane)
{
    free(lane->frames.items);
    open_functions_free(&lane->open);
    lane->frames.items = NULL;
    lane->frames.count = lane->frames.capacity = 0;
}

void xray_lane_want_times(struct xray_lane *lane, uint64_t first_event, uint64_t last_event)
{
    lane->wanted_events[0] = lane->next_wanted = first_event;
    lane->wanted_events[1] = last_event;
    lane->wanted_times[0] = 0;
    lane->wanted_times[1] = UINT64_MAX;
}

void xray_lane_note_time(struct xray_lane *lane)
{
    for (size_t i = 0; i < 2; i++) {
        if (lane->wanted_events[i] == lane->events)
            lane->wanted_times[i] = lane->time;
    }
    bool is_second = lane->events >= lane->wanted_events[1];
    lane->next_wanted = is_second ? UINT64_MAX : lane->wanted_events[1];
}

void xray_lane_note_other(struct xray_lane *lane, const struct xray_record *record)
{
    switch (record->kind) {
    case XRAY_ARGUMENT:
        lane->counts.arguments++;
        break;
    case XRAY_CUSTOM_EVENT:
        lane->counts.custom_events++;
        break;
    case XRAY_TYPED_EVENT:
        lane->counts.typed_events++;
        break;
    case XRAY_FAULT:
        xray_damage_add(&lane->damage, &record->fault);
        break;
    default:
        break;
    }
}

size_t xray_lane_find(struct xray_lane *lane, uint32_t function)
{
    size_t count = lane->frames.count;
    size_t left = open_functions_find(&lane->open, &lane->frames.items->function,
                                      sizeof *lane->frames.items, count, function);
    return left ? count - left + 1 : 0;
}

static bool pass_by(void *self, struct xray_lane *lane, struct xray_frame *frame,
                    const struct xray_record *record)
{
    (void)self, (void)lane, (void)frame, (void)record;
    return true;
}

static bool pass_by_exit(void *self, struct xray_lane *lane, const struct xray_frame *frame,
                         const struct xray_record *record, bool is_deduced)
{
    (void)self, (void)lane, (void)frame, (void)record, (void)is_deduced;
    return true;
}

bool xray_lane_read(struct xray_lane *lane)
{
    static const struct xray_visitor visitor = {pass_by, pass_by_exit, NULL, NULL};
    return xray_lane_walk(lane, NULL, &visitor);
}
