#include "trace/xray/lane.h"

#include "idx/rows.h"

#include <stdlib.h>

bool xray_lane_begin(struct xray_lane *lane, const struct xray_log *log, uint32_t thread)
{
    *lane = (struct xray_lane){.next_wanted = UINT64_MAX};
    xray_cursor_thread(&lane->cursor, log, thread);
    return xray_match_begin(&lane->match, 0, 0);
}

void xray_lane_free(struct xray_lane *lane)
{
    xray_match_free(&lane->match);
    free(lane->offsets.items);
    lane->offsets.items = NULL;
    lane->offsets.count = lane->offsets.capacity = 0;
}

void xray_lane_want_times(struct xray_lane *lane, uint64_t first_event, uint64_t last_event)
{
    lane->wanted_events[0] = lane->next_wanted = first_event;
    lane->wanted_events[1] = last_event;
    lane->wanted_times[0] = 0;
    lane->wanted_times[1] = UINT64_MAX;
}

bool xray_rows_begin(struct xray_rows *rows, struct trawl_index *index, uint64_t count,
                     struct error *err)
{
    if (!rows->block && !(rows->block = calloc(1, sizeof *rows->block)))
        return false;
    rows->index = index;
    rows->err = err;
    rows->next = rows->end;
    rows->end += count;
    rows->times = rows->block->times;
    rows->positions = rows->block->positions;
    rows->pcs = rows->block->pcs;
    rows->flags = rows->block->flags;
    return true;
}

bool xray_rows_read(struct xray_rows *rows)
{
    if (rows->next >= rows->end)
        return false;
    if (index_event_rows(rows->index, rows->next,
                         ROWS_TIMES | ROWS_POSITIONS | ROWS_PCS | ROWS_FLAGS, rows->block,
                         rows->err) != STATUS_OK)
        return false;
    rows->first = rows->block->first;
    rows->count = rows->block->count;
    return true;
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
        trace_damage_add(&lane->damage, &record->fault);
        break;
    default:
        break;
    }
}

bool xray_lane_make_room(struct xray_lane *lane)
{
    return VEC_ROOM(&lane->offsets, xray_match_depth(&lane->match) + 1);
}

static bool pass_by(void *self, struct xray_lane *lane, struct xray_call *call,
                    const struct xray_record *record)
{
    (void)self, (void)lane, (void)call, (void)record;
    return true;
}

static bool pass_by_exit(void *self, struct xray_lane *lane, const struct xray_call *call,
                         const struct xray_record *record, bool is_unwound)
{
    (void)self, (void)lane, (void)call, (void)record, (void)is_unwound;
    return true;
}

bool xray_lane_read(struct xray_lane *lane)
{
    static const struct xray_visitor visitor = {pass_by, pass_by_exit, NULL, NULL};
    return xray_lane_walk_batches(lane, NULL, &visitor, xray_lane_pass_by);
}
