#include "query/recalled_stacks.h"

bool recalled_byte(struct trawl_index *index, uint64_t byte, struct lane_point *point)
{
    struct trawl_event about;
    uint64_t event;
    point->events = 0;
    if (trawl_event_at_position(index, byte, &event, NULL) != TRAWL_OK)
        return false;
    if (event == TRAWL_START)
        return true;
    if (trawl_event(index, event, &about, NULL) != TRAWL_OK || about.lane != point->lane)
        return false;
    point->events = about.in_lane + 1;
    return true;
}

// Event `in_lane` of the lane.
static enum trawl_status recall_event(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                      struct trawl_event *about)
{
    uint64_t event;
    enum trawl_status status = trawl_event_of_lane(index, lane, in_lane, &event, NULL);
    return status == TRAWL_OK ? trawl_event(index, event, about, NULL) : status;
}

// The number of events of the lane up to the point.
static enum trawl_status count_events(struct trawl_index *index, uint64_t lane, uint64_t events,
                                      const struct lane_point *point, uint64_t *count)
{
    struct trawl_event about;
    uint64_t event;
    *count = u64_min(events, point->events);
    if (point->last_time == UINT64_MAX)
        return TRAWL_OK;
    enum trawl_status status = trawl_event_at_time(index, lane, point->last_time, &event, NULL);
    if (status == TRAWL_OK && event == TRAWL_START) {
        *count = 0;
        return TRAWL_OK;
    }
    if (status == TRAWL_OK)
        status = trawl_event(index, event, &about, NULL);
    if (status == TRAWL_OK)
        *count = u64_min(*count, about.in_lane + 1);
    return status;
}

static enum trawl_status recall_frame(struct trawl_index *index, uint64_t lane,
                                      const struct trawl_call *call, struct lane_stack *stack)
{
    struct trawl_event entry;
    enum trawl_status status = recall_event(index, lane, call->entry, &entry);
    if (status != TRAWL_OK)
        return status;
    if (!VEC_ROOM(&stack->frames, 1))
        return TRAWL_MEMORY;
    stack->frames.items[stack->frames.count++] =
        (struct lane_frame){entry.time, call->entry, entry.position, call->pc};
    return TRAWL_OK;
}

// The call and those around it, the outermost first.
static enum trawl_status recall_frames(struct trawl_index *index, uint64_t lane,
                                       struct trawl_call *call, struct lane_stack *stack)
{
    for (;;) {
        enum trawl_status status = recall_frame(index, lane, call, stack);
        if (status == TRAWL_OK && call->parent == TRAWL_NONE) {
            struct lane_frame *frames = stack->frames.items;
            for (size_t i = 0, last = stack->frames.count; last && i < --last; i++) {
                const struct lane_frame frame = frames[i];
                frames[i] = frames[last];
                frames[last] = frame;
            }
            return status;
        }
        if (status == TRAWL_OK)
            status = trawl_call(index, lane, call->parent, call, NULL);
        if (status != TRAWL_OK)
            return status;
    }
}

enum trawl_status recalled_stack(struct trawl_index *index, uint64_t lane, uint64_t events,
                                 const struct lane_point *point, struct lane_stack *stack)
{
    struct trawl_event last;
    struct trawl_call call;
    uint64_t count;
    stack->frames.count = 0;
    enum trawl_status status = count_events(index, lane, events, point, &count);
    if (status != TRAWL_OK || !count)
        return status;
    status = recall_event(index, lane, count - 1, &last);
    if (status != TRAWL_OK)
        return status;
    stack->time = last.time;
    status = trawl_call_at(index, lane, count - 1, &call, NULL);
    if (status == TRAWL_NOT_FOUND) // no call yet
        return TRAWL_OK;
    return status == TRAWL_OK ? recall_frames(index, lane, &call, stack) : status;
}
