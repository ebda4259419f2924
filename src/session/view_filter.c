#include "session/view_filter.h"

#include "query/point.h"

static bool takes_lane(uint64_t wanted, uint64_t lane)
{
    return wanted == TRAWL_ANY_LANE || wanted == lane;
}

enum status session_find_lane(const struct session *session, uint64_t *lane, struct error *err)
{
    const struct index_view *view = &session->view;
    *lane = TRAWL_ANY_LANE;
    if (!session->filter.lane)
        return STATUS_OK;
    *lane = index_view_lane_named(view, session->filter.lane);
    if (*lane != TRAWL_NONE)
        return STATUS_OK;
    struct lane_names names = {.kind = session->trace ? session->trace->kind->words.lane : "core"};
    for (uint64_t i = 0; i < view->info.lanes; i++)
        lane_names_add(&names, view->lanes[i].name);
    return filter_no_lane(&session->filter, session->path, &names, err);
}

enum status session_event_bounds(const struct session *session, uint64_t lane, uint64_t *first,
                                 uint64_t *last, struct error *err)
{
    const struct index_view *view = &session->view;
    const struct call_range *range = &session->filter.range;
    struct trawl_error from;
    *first = UINT64_MAX;
    *last = 0;
    if (index_view_has_snapshots(&session->view)) {
        *first = range->first_event;
        *last = range->last_event;
        return STATUS_OK;
    }
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        uint64_t events = view->lanes[i].events, ends[2];
        if (!takes_lane(lane, i) || events <= range->first_event)
            continue;
        enum trawl_status status =
            trawl_event_of_lane(view->index, i, range->first_event, &ends[0], &from);
        if (status == TRAWL_OK)
            status = trawl_event_of_lane(view->index, i, u64_min(range->last_event, events - 1),
                                         &ends[1], &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        *first = u64_min(*first, ends[0]);
        *last = u64_max(*last, ends[1]);
    }
    return STATUS_OK;
}

// The number of events of the lane that are not later than the end of the range.
static enum status count_until(const struct session *session, uint64_t lane, uint64_t *count,
                               struct error *err)
{
    const struct call_range *range = &session->filter.range;
    struct trawl_event about;
    struct trawl_error from;
    uint64_t event;
    enum trawl_status read =
        trawl_event_at_time(session->view.index, lane, range->last_time, &event, &from);
    *count = 0;
    if (read != TRAWL_OK || event == TRAWL_START)
        return index_status(read, &from, err);
    enum status status = point_in_lane(&session->view, lane, event, &about, err);
    *count = about.in_lane + 1;
    if (range->last_event < *count)
        *count = range->last_event + 1;
    return status;
}

// Whether the lane has an event in the range; extends `extent` by that of the lane.
static enum status look_at_lane(const struct session *session, uint64_t lane,
                                struct filter_extent *extent, bool *is_in_range, struct error *err)
{
    const struct call_range *range = &session->filter.range;
    uint64_t events = session->view.lanes[lane].events, count;
    struct trawl_event first, last, latest;
    if (!events)
        return STATUS_OK;
    enum status status = index_view_event_of_lane(&session->view, lane, 0, &first, err);
    if (status == STATUS_OK)
        status = index_view_event_of_lane(&session->view, lane, events - 1, &last, err);
    if (status == STATUS_OK)
        status = count_until(session, lane, &count, err);
    if (status != STATUS_OK)
        return status;
    extent->has_times = true;
    extent->first_time = u64_min(extent->first_time, first.time);
    extent->last_time = u64_max(extent->last_time, last.time);
    extent->last_event = u64_max(extent->last_event, events - 1);
    // The last event within both upper limits; times of a lane only ascend.
    if (!count || (status = index_view_event_of_lane(&session->view, lane, count - 1, &latest,
                                                     err)) != STATUS_OK)
        return status;
    *is_in_range |= count - 1 >= range->first_event && latest.time >= range->first_time;
    return STATUS_OK;
}

enum status session_find_range(const struct session *session, uint64_t lane, struct error *err)
{
    struct filter_extent extent = {.first_time = UINT64_MAX};
    bool is_in_range = call_range_is_all(&session->filter.range);
    enum status status = STATUS_OK;
    if (index_view_has_snapshots(&session->view)) {
        extent.last_event = session->view.info.events - 1;
        extent.has_times = true;
        is_in_range |= session->filter.range.first_event < session->view.info.events;
    }
    for (uint64_t i = 0; i < session->view.info.lanes && !is_in_range && status == STATUS_OK; i++) {
        if (!index_view_has_snapshots(&session->view) && takes_lane(lane, i))
            status = look_at_lane(session, i, &extent, &is_in_range, err);
    }
    if (status != STATUS_OK || is_in_range)
        return status;
    return filter_no_range(&session->filter, session->path, &extent, err);
}
