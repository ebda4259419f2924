#include "export/tfile_export.h"

#include <stdlib.h>

// No further point: no event has this number.
#define OVER UINT64_MAX

bool point_choice_add(struct point_choice *choice, enum point_way way, uint64_t value)
{
    ASSERT(way != POINT_EVERY || value > 0);
    if (!VEC_ROOM(&choice->sources, 1))
        return false;
    choice->sources.items[choice->sources.count++] =
        (struct point_source){.way = way, .value = value};
    return true;
}

void point_choice_free(struct point_choice *choice)
{
    free(choice->sources.items);
    *choice = (struct point_choice){0};
}

// --- The range -----------------------------------------------------------------------------------

// How many events of the lane have a time up to `time`; times ascend within a lane.
static enum trawl_status count_until(const struct point_choice *choice, uint64_t time,
                                     uint64_t *count, struct trawl_error *from)
{
    struct trawl_event about;
    uint64_t event;
    *count = 0;
    enum trawl_status status =
        trawl_event_at_time(choice->view->index, choice->lane, time, &event, from);
    if (status != TRAWL_OK || event == TRAWL_START)
        return status;
    status = trawl_event(choice->view->index, event, &about, from);
    *count = about.in_lane + 1;
    return status;
}

static enum trawl_status find_range(struct point_choice *choice, struct trawl_error *from)
{
    const struct call_range *range = &choice->range;
    uint64_t events = choice->view->lanes[choice->lane].events, before = 0, until;
    enum trawl_status status = count_until(choice, range->last_time, &until, from);
    if (status == TRAWL_OK && range->first_time > 0)
        status = count_until(choice, range->first_time - 1, &before, from);
    if (status != TRAWL_OK)
        return status;
    choice->first = u64_max(before, range->first_event);
    choice->end = u64_min(until, events);
    if (range->last_event < choice->end)
        choice->end = range->last_event + 1;
    if (choice->first >= choice->end)
        return TRAWL_OK;
    return trawl_event_of_lane(choice->view->index, choice->lane, choice->end - 1, &choice->last,
                               from);
}

// --- One way -------------------------------------------------------------------------------------

static enum trawl_status step_to(const struct point_choice *choice, struct point_source *source,
                                 uint64_t in_lane, struct trawl_error *from)
{
    uint64_t event;
    source->next = OVER;
    source->in_lane = in_lane;
    if (in_lane >= choice->end)
        return TRAWL_OK;
    enum trawl_status status =
        trawl_event_of_lane(choice->view->index, choice->lane, in_lane, &event, from);
    if (status == TRAWL_OK)
        source->next = event + 1;
    return status;
}

static enum trawl_status visit_after(const struct point_choice *choice, struct point_source *source,
                                     uint64_t event, struct trawl_error *from)
{
    uint64_t visit;
    source->next = OVER;
    enum trawl_status status = trawl_visit(choice->view->index, choice->lane, source->value, event,
                                           TRAWL_FORWARD, &visit, from);
    if (status == TRAWL_NOT_FOUND)
        return TRAWL_OK;
    if (status != TRAWL_OK)
        return status;
    if (event != TRAWL_START && visit <= event)
        return index_view_no_progress(from);
    if (visit <= choice->last)
        source->next = visit;
    return TRAWL_OK;
}

static enum trawl_status first_visit(const struct point_choice *choice, struct point_source *source,
                                     struct trawl_error *from)
{
    uint64_t before = TRAWL_START;
    enum trawl_status status = TRAWL_OK;
    source->next = OVER;
    if (choice->first >= choice->end)
        return TRAWL_OK;
    if (choice->first > 0)
        status = trawl_event_of_lane(choice->view->index, choice->lane, choice->first - 1, &before,
                                     from);
    return status == TRAWL_OK ? visit_after(choice, source, before, from) : status;
}

static enum trawl_status begin(const struct point_choice *choice, struct point_source *source,
                               struct trawl_error *from)
{
    switch (source->way) {
    case POINT_EVERY:
        return step_to(choice, source, choice->first, from);
    case POINT_VISIT:
        return first_visit(choice, source, from);
    default:
        source->next = source->value + 1; // 0 after TRAWL_START
        return TRAWL_OK;
    }
}

static enum trawl_status advance(const struct point_choice *choice, struct point_source *source,
                                 struct trawl_error *from)
{
    switch (source->way) {
    case POINT_EVERY:
        return step_to(choice, source,
                       source->in_lane + u64_min(source->value, UINT64_MAX - source->in_lane),
                       from);
    case POINT_VISIT:
        return visit_after(choice, source, source->next, from);
    default:
        source->next = OVER;
        return TRAWL_OK;
    }
}

// --- All of them ---------------------------------------------------------------------------------

enum status point_choice_begin(struct point_choice *choice, struct error *err)
{
    struct trawl_error from;
    enum trawl_status status = find_range(choice, &from);
    for (size_t i = 0; i < choice->sources.count && status == TRAWL_OK; i++)
        status = begin(choice, &choice->sources.items[i], &from);
    return index_status(status, &from, err);
}

enum status point_choice_next(struct point_choice *choice, uint64_t *event, struct error *err)
{
    struct trawl_error from;
    enum trawl_status status = TRAWL_OK;
    uint64_t next = OVER;
    for (size_t i = 0; i < choice->sources.count; i++)
        next = u64_min(next, choice->sources.items[i].next);
    if (next == OVER)
        return error_set(err, STATUS_NOT_FOUND, "no further point is chosen");
    for (size_t i = 0; i < choice->sources.count && status == TRAWL_OK; i++) {
        if (choice->sources.items[i].next == next)
            status = advance(choice, &choice->sources.items[i], &from);
    }
    *event = next - 1;
    return index_status(status, &from, err);
}
