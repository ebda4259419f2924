#include "browse/lane_calls.h"

#include "query/point.h"

#include <stdlib.h>

#define NONE UINT64_MAX

void event_filter_free(struct event_filter *filter)
{
    free(filter->hidden.items);
    *filter = (struct event_filter){0};
}

bool event_filter_is_none(const struct event_filter *filter)
{
    return filter->kind == FILTER_NOTHING && !filter->hidden.count;
}

bool event_filter_toggle(struct event_filter *filter, uint64_t pc, bool *is_hidden)
{
    size_t at = 0;
    while (at < filter->hidden.count && (filter->hidden.items[at] ^ pc) & ~UINT64_C(1))
        at++;
    *is_hidden = at == filter->hidden.count;
    if (!*is_hidden) {
        filter->hidden.items[at] = filter->hidden.items[--filter->hidden.count];
        return true;
    }
    if (!VEC_ROOM(&filter->hidden, 1))
        return false;
    filter->hidden.items[filter->hidden.count++] = pc;
    return true;
}

// --- Functions -----------------------------------------------------------------------------------

// The outermost call of a hidden function around an event. False: there is none.
static bool hidden_around(const struct event_filter *filter, const struct lane_calls *calls,
                          uint64_t event, struct lane_call *hidden)
{
    return filter->hidden.count &&
           calls->outermost(calls->self, event, filter->hidden.items, filter->hidden.count, hidden);
}

// --- Calls ---------------------------------------------------------------------------------------

static uint64_t previous_site(const struct lane_calls *calls, uint64_t event)
{
    struct lane_call call;
    uint64_t number = calls->entered(calls->self, event + 1);
    while (number-- > 0) {
        calls->call(calls->self, number, &call);
        if (call.entry > 0 && call.entry - 1 <= event)
            return call.entry - 1;
    }
    return NONE;
}

// --- Writes --------------------------------------------------------------------------------------

// The number in the lane of the nearest event that writes the place, starting from an event of the
// trace.
static uint64_t write_from(struct event_filter *filter, uint64_t lane, uint64_t event,
                           enum trawl_direction direction)
{
    struct trawl_index *index = filter->indexed->index;
    struct trawl_event about;
    struct trawl_error err;
    struct trawl_write write;
    enum trawl_status status = TRAWL_NOT_FOUND;
    if (filter->place.is_register && filter->place.lane != lane)
        return NONE;
    // Other lanes write memory, too.
    do {
        if (filter->place.is_register)
            status = trawl_register_written(index, lane, event, direction, filter->place.start,
                                            (size_t)filter->place.size_bytes, &write.event, &err);
        else
            status = trawl_memory_written(index, event, direction, filter->place.start,
                                          filter->place.size_bytes, &write, &err);
        if (status == TRAWL_OK)
            status = trawl_event(index, write.event, &about, &err);
        if (status != TRAWL_OK)
            break;
        event = direction == TRAWL_FORWARD ? write.event : write.event - 1;
    } while (about.lane != lane && event != TRAWL_START);
    filter->has_failed |= status != TRAWL_OK && status != TRAWL_NOT_FOUND;
    return status == TRAWL_OK && about.lane == lane ? about.in_lane : NONE;
}

// The number of the nearest found event of this lane.
static uint64_t found_from(struct event_filter *filter, uint64_t lane, uint64_t event,
                           bool is_forward)
{
    struct trawl_event about;
    struct trawl_error err;
    for (;;) {
        uint64_t found = filter->found.find(filter->found.self, event, is_forward);
        if (found == NONE)
            return NONE;
        if (trawl_event(filter->indexed->index, found, &about, &err) != TRAWL_OK) {
            filter->has_failed = true;
            return NONE;
        }
        if (about.lane == lane)
            return about.in_lane;
        if (!is_forward && found == 0)
            return NONE;
        event = is_forward ? found + 1 : found - 1;
    }
}

// The nearest event that passes, ignoring hidden functions.
static uint64_t near_by_kind(struct event_filter *filter, const struct lane_calls *calls,
                             uint64_t lane, uint64_t in_lane, bool is_forward)
{
    struct trawl_error err;
    uint64_t event, written = NONE, found = NONE;
    if (filter->kind == FILTER_NOTHING)
        return in_lane;
    if (filter->kind == FILTER_CALLS) {
        if (!is_forward)
            return previous_site(calls, in_lane);
        // The first event at or after `event` that is followed by the entry of a call.
        struct lane_call call;
        uint64_t number =
            calls->entered(calls->self, in_lane); // the first call that begins after it
        if (number >= calls->call_count)
            return NONE;
        calls->call(calls->self, number, &call);
        return call.entry > in_lane ? call.entry - 1 : NONE;
    }
    if (trawl_event_of_lane(filter->indexed->index, lane, in_lane, &event, &err) != TRAWL_OK)
        return NONE;
    // Forward begins after an event; of the first: TRAWL_START.
    if (filter->kind != FILTER_FOUND)
        written = write_from(filter, lane, is_forward ? event - 1 : event,
                             is_forward ? TRAWL_FORWARD : TRAWL_BACKWARD);
    if (filter->kind != FILTER_WRITES && written != in_lane)
        found = found_from(filter, lane, event, is_forward);
    if (written == NONE || found == NONE)
        return written == NONE ? found : written;
    return is_forward ? u64_min(written, found) : u64_max(written, found);
}

// --- All of it -----------------------------------------------------------------------------------

uint64_t event_filter_next(struct event_filter *filter, const struct lane_calls *calls,
                           uint64_t lane, uint64_t event)
{
    struct lane_call hidden;
    while (event < calls->event_count) {
        uint64_t found = near_by_kind(filter, calls, lane, event, true);
        if (found == NONE || !hidden_around(filter, calls, found, &hidden))
            return found;
        event = u64_max(hidden.exit, found) + 1;
    }
    return NONE;
}

uint64_t event_filter_previous(struct event_filter *filter, const struct lane_calls *calls,
                               uint64_t lane, uint64_t event)
{
    struct lane_call hidden;
    for (;;) {
        uint64_t found = near_by_kind(filter, calls, lane, event, false);
        if (found == NONE || !hidden_around(filter, calls, found, &hidden))
            return found;
        if (hidden.entry == 0)
            return NONE;
        event = u64_min(hidden.entry, found) - 1;
    }
}
