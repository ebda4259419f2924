#include "browse/timeline.h"

#include "query/point.h"

#include <stdlib.h>

// How many hidden events are examined one by one before the lanes are searched.
enum { STEPS_MAX = 16 };

static void fail(struct timeline *timeline, const struct error *err)
{
    if (!timeline->has_failed)
        timeline->err = *err;
    timeline->has_failed = true;
}

static void fail_as(struct timeline *timeline, enum trawl_status status,
                    const struct trawl_error *from)
{
    struct error err;
    index_status(status, from, &err);
    fail(timeline, &err);
}

bool timeline_failed(const struct timeline *timeline, struct error *err)
{
    if (timeline->has_failed)
        *err = timeline->err;
    else if (timeline->filter.has_failed)
        error_set(err, STATUS_DAMAGED, "the index is damaged: writes");
    for (size_t i = 0; i < timeline->lane_count && !timeline->has_failed; i++) {
        if (timeline->lanes[i].index_calls.has_failed) {
            *err = timeline->lanes[i].index_calls.err;
            return true;
        }
    }
    return timeline->has_failed || timeline->filter.has_failed;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status make_lanes(struct timeline *timeline, size_t count, struct error *err)
{
    timeline->lanes = calloc(count + 1, sizeof *timeline->lanes);
    if (!timeline->lanes)
        return error_set(err, STATUS_MEMORY, "no memory for the lanes of the trace");
    timeline->lane_count = count;
    return STATUS_OK;
}

enum status timeline_open(struct timeline *timeline, const struct index_view *indexed,
                          struct error *err)
{
    *timeline = (struct timeline){.indexed = indexed, .event_count = indexed->info.events};
    enum status status = make_lanes(timeline, (size_t)indexed->info.lanes, err);
    for (size_t i = 0; i < timeline->lane_count && status == STATUS_OK; i++) {
        struct timeline_lane *lane = &timeline->lanes[i];
        status = index_calls_open(&lane->index_calls, indexed, i, err);
        lane->calls = index_calls_table(&lane->index_calls);
    }
    return status;
}

enum status timeline_renew(struct timeline *timeline, struct error *err)
{
    size_t count = (size_t)timeline->indexed->info.lanes;
    enum status status = STATUS_OK;
    timeline->event_count = timeline->indexed->info.events;
    if (count > timeline->lane_count) { // makes room for new lanes
        struct timeline_lane *lanes = realloc(timeline->lanes, (count + 1) * sizeof *lanes);
        if (!lanes)
            return error_set(err, STATUS_MEMORY, "no memory for the lanes of the trace");
        bool is_one_shown = false;
        for (size_t i = 0; i < timeline->lane_count; i++)
            is_one_shown |= lanes[i].is_left_out;
        for (size_t i = timeline->lane_count; i < count; i++)
            lanes[i] = (struct timeline_lane){.is_left_out = is_one_shown};
        timeline->lanes = lanes;
        timeline->lane_count = count;
    }
    for (size_t i = 0; i < timeline->lane_count && status == STATUS_OK; i++) {
        struct timeline_lane *lane = &timeline->lanes[i];
        index_calls_free(&lane->index_calls);
        status = index_calls_open(&lane->index_calls, timeline->indexed, i, err);
        lane->calls = index_calls_table(&lane->index_calls);
    }
    return status;
}

enum status timeline_open_calls(struct timeline *timeline, const struct lane_calls *calls,
                                struct error *err)
{
    *timeline = (struct timeline){.event_count = calls->event_count};
    enum status status = make_lanes(timeline, 1, err);
    if (status == STATUS_OK)
        timeline->lanes[0].calls = *calls;
    return status;
}

void timeline_close(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->lane_count; i++) {
        index_calls_free(&timeline->lanes[i].index_calls);
        folds_free(&timeline->lanes[i].folds);
    }
    event_filter_free(&timeline->filter);
    free(timeline->lanes);
    *timeline = (struct timeline){0};
}

// --- Lanes ---------------------------------------------------------------------------------------

uint64_t timeline_lane_of(struct timeline *timeline, uint64_t event, uint64_t *in_lane)
{
    struct trawl_event about;
    struct trawl_error err;
    *in_lane = event;
    if (timeline->lane_count == 1)
        return 0;
    enum trawl_status status = trawl_event(timeline->indexed->index, event, &about, &err);
    if (status != TRAWL_OK) {
        fail_as(timeline, status, &err);
        *in_lane = 0;
        return 0;
    }
    *in_lane = about.in_lane;
    return about.lane;
}

uint64_t timeline_event_of(struct timeline *timeline, uint64_t lane, uint64_t in_lane)
{
    struct trawl_error err;
    uint64_t event;
    if (timeline->lane_count == 1)
        return in_lane;
    enum trawl_status status =
        trawl_event_of_lane(timeline->indexed->index, lane, in_lane, &event, &err);
    if (status == TRAWL_OK)
        return event;
    fail_as(timeline, status, &err);
    return timeline->event_count - 1;
}

uint64_t timeline_level(struct timeline *timeline, uint64_t event)
{
    uint64_t in_lane, lane = timeline_lane_of(timeline, event, &in_lane);
    const struct lane_calls *calls = &timeline->lanes[lane].calls;
    return calls->level(calls->self, in_lane);
}

bool timeline_is_visible(struct timeline *timeline, uint64_t event)
{
    uint64_t in_lane, number = timeline_lane_of(timeline, event, &in_lane);
    const struct timeline_lane *lane = &timeline->lanes[number];
    if (lane->is_left_out || !folds_is_visible(&lane->folds, &lane->calls, in_lane))
        return false;
    return event_filter_is_none(&timeline->filter) ||
           event_filter_next(&timeline->filter, &lane->calls, number, in_lane) == in_lane;
}

// --- Steps ---------------------------------------------------------------------------------------

// The first event of a lane at or after `event` by its number there, or the number of its events.
static uint64_t lane_first(struct timeline *timeline, uint64_t lane, uint64_t event)
{
    struct trawl_event about;
    struct error err;
    if (timeline->lane_count == 1 || event == 0)
        return event;
    enum status status = point_in_lane(timeline->indexed, lane, event - 1, &about, &err);
    if (status != STATUS_OK) {
        fail(timeline, &err);
        return timeline->lanes[lane].calls.event_count;
    }
    return about.event == TRAWL_START ? 0 : about.in_lane + 1;
}

// The next event of a lane that neither folds nor the filter hide.
static uint64_t next_in_lane(struct timeline *timeline, uint64_t number, uint64_t event)
{
    struct timeline_lane *lane = &timeline->lanes[number];
    if (lane->is_left_out)
        return TIMELINE_NONE;
    for (uint64_t at = lane_first(timeline, number, event);;) {
        uint64_t visible = folds_next_visible(&lane->folds, &lane->calls, at);
        at = visible == FOLDS_NONE || event_filter_is_none(&timeline->filter)
                 ? visible
                 : event_filter_next(&timeline->filter, &lane->calls, number, visible);
        if (at == FOLDS_NONE)
            return TIMELINE_NONE;
        if (at == visible)
            return timeline_event_of(timeline, number, at);
    }
}

static uint64_t previous_in_lane(struct timeline *timeline, uint64_t number, uint64_t event)
{
    struct timeline_lane *lane = &timeline->lanes[number];
    uint64_t behind = lane_first(timeline, number, event + 1);
    if (lane->is_left_out || behind == 0)
        return TIMELINE_NONE;
    for (uint64_t at = behind - 1;;) {
        uint64_t visible = folds_previous_visible(&lane->folds, &lane->calls, at);
        at = visible == FOLDS_NONE || event_filter_is_none(&timeline->filter)
                 ? visible
                 : event_filter_previous(&timeline->filter, &lane->calls, number, visible);
        if (at == FOLDS_NONE)
            return TIMELINE_NONE;
        if (at == visible)
            return timeline_event_of(timeline, number, at);
    }
}

uint64_t timeline_next(struct timeline *timeline, uint64_t event)
{
    uint64_t found = TIMELINE_NONE;
    if (timeline->lane_count > 1) {
        for (unsigned i = 0; i < STEPS_MAX && event < timeline->event_count; i++, event++) {
            if (timeline_is_visible(timeline, event))
                return event;
        }
    }
    if (event >= timeline->event_count)
        return TIMELINE_NONE;
    for (size_t lane = 0; lane < timeline->lane_count; lane++)
        found = u64_min(found, next_in_lane(timeline, lane, event));
    return found;
}

uint64_t timeline_previous(struct timeline *timeline, uint64_t event)
{
    uint64_t found = TIMELINE_NONE;
    if (event >= timeline->event_count)
        return TIMELINE_NONE;
    if (timeline->lane_count > 1) {
        for (unsigned i = 0; i < STEPS_MAX; i++, event--) {
            if (timeline_is_visible(timeline, event))
                return event;
            if (event == 0)
                return TIMELINE_NONE;
        }
    }
    for (size_t lane = 0; lane < timeline->lane_count; lane++) {
        uint64_t candidate = previous_in_lane(timeline, lane, event);
        if (candidate != TIMELINE_NONE && (found == TIMELINE_NONE || candidate > found))
            found = candidate;
    }
    return found;
}

uint64_t timeline_last_of_lanes(struct timeline *timeline, uint64_t event)
{
    uint64_t in_lane, found = TIMELINE_NONE;
    if (!timeline->lanes[timeline_lane_of(timeline, event, &in_lane)].is_left_out)
        return event;
    for (size_t number = 0; number < timeline->lane_count; number++) {
        uint64_t behind =
            timeline->lanes[number].is_left_out ? 0 : lane_first(timeline, number, event + 1);
        if (!behind)
            continue;
        uint64_t last = timeline_event_of(timeline, number, behind - 1);
        found = found == TIMELINE_NONE ? last : u64_max(found, last);
    }
    return found;
}

// --- Lines ---------------------------------------------------------------------------------------

uint64_t timeline_lines_before(struct timeline *timeline, uint64_t event)
{
    struct trawl_event about;
    struct trawl_error err;
    if (!timeline->indexed) {
        const struct lane_calls *calls = &timeline->lanes[0].calls;
        return calls->lines_before(calls->self, event);
    }
    if (browse_rows_of(timeline->indexed) != ROWS_LINES)
        return event;
    if (event >= timeline->event_count)
        return timeline->indexed->info.lines;
    enum trawl_status status = trawl_event(timeline->indexed->index, event, &about, &err);
    if (status == TRAWL_OK)
        return about.line - 1;
    fail_as(timeline, status, &err);
    return 0;
}

uint64_t timeline_lines_of(struct timeline *timeline, uint64_t event)
{
    uint64_t before = timeline_lines_before(timeline, event);
    uint64_t until = timeline_lines_before(timeline, event + 1);
    return until > before ? until - before : 1;
}
