#include "analysis/recalled_stacks.h"

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
static bool recall_event(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                         struct trawl_event *about)
{
    uint64_t event;
    return trawl_event_of_lane(index, lane, in_lane, &event, NULL) == TRAWL_OK &&
           trawl_event(index, event, about, NULL) == TRAWL_OK;
}

// How many events of the lane are up to the point.
static bool count_events(struct trawl_index *index, uint64_t lane, uint64_t events,
                         const struct lane_point *point, uint64_t *count)
{
    struct trawl_event about;
    uint64_t event;
    *count = u64_min(events, point->events);
    if (point->last_time == UINT64_MAX)
        return true;
    if (trawl_event_at_time(index, lane, point->last_time, &event, NULL) != TRAWL_OK)
        return false;
    if (event == TRAWL_START)
        *count = 0;
    else if (trawl_event(index, event, &about, NULL) != TRAWL_OK)
        return false;
    else
        *count = u64_min(*count, about.in_lane + 1);
    return true;
}

static bool recall_frame(struct trawl_index *index, uint64_t lane, const struct trawl_call *call,
                         struct lane_stack *stack)
{
    struct trawl_event entry;
    if (!recall_event(index, lane, call->entry, &entry) || !VEC_ROOM(&stack->frames, 1))
        return false;
    stack->frames.items[stack->frames.count++] =
        (struct lane_frame){entry.time, call->entry, entry.position, call->pc};
    return true;
}

static void reverse(struct lane_stack *stack)
{
    struct lane_frame *frames = stack->frames.items;
    for (size_t i = 0, last = stack->frames.count; last && i < --last; i++) {
        const struct lane_frame frame = frames[i];
        frames[i] = frames[last];
        frames[last] = frame;
    }
}

bool recalled_stack(struct trawl_index *index, uint64_t lane, uint64_t events,
                    const struct lane_point *point, struct lane_stack *stack)
{
    struct trawl_event last;
    struct trawl_call call;
    uint64_t count;
    stack->frames.count = 0;
    if (!count_events(index, lane, events, point, &count))
        return false;
    if (!count)
        return true;
    if (!recall_event(index, lane, count - 1, &last))
        return false;
    stack->time = last.time;
    enum trawl_status status = trawl_call_at(index, lane, count - 1, &call, NULL);
    if (status == TRAWL_NOT_FOUND)
        return true;
    while (status == TRAWL_OK && recall_frame(index, lane, &call, stack)) {
        if (call.parent == TRAWL_NONE) {
            reverse(stack);
            return true;
        }
        status = trawl_call(index, lane, call.parent, &call, NULL);
    }
    return false;
}
