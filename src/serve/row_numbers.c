#include "serve/row_numbers.h"

static bool is_all_there(const struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->lane_count; i++) {
        if (timeline->lanes[i].is_left_out || !folds_are_none(&timeline->lanes[i].folds))
            return false;
    }
    return timeline->filter.kind == FILTER_NOTHING && !timeline->filter.hidden.count;
}

void row_numbers_begin(struct row_numbers *numbers, struct desk *desk, struct sums *sums)
{
    struct timeline *timeline = &desk->timeline;
    bool is_whole = is_all_there(timeline);
    bool is_one = timeline->lane_count == 1;
    *numbers = (struct row_numbers){
        .timeline = timeline,
        .sums = !is_whole && is_one ? sums_wait(sums) : NULL,
        .header_lines = desk->source.rows == ROWS_LINES ? timeline->indexed->info.header_lines : 0,
    };
    numbers->is_exact = is_whole || numbers->sums;
    numbers->count = row_number_of(numbers, timeline->event_count);
}

uint64_t row_number_of(const struct row_numbers *numbers, uint64_t event)
{
    struct timeline *timeline = numbers->timeline;
    const struct timeline_lane *lane = &timeline->lanes[0];
    uint64_t lines =
        numbers->sums ? level_sums_visible_before(numbers->sums, &lane->calls, &lane->folds, event)
                      : timeline_lines_before(timeline, event);
    uint64_t skipped = numbers->sums ? 0 : numbers->header_lines;
    return lines - u64_min(lines, skipped);
}

// Without sums: the last event that begins at or before the line.
static uint64_t event_at(const struct row_numbers *numbers, uint64_t line)
{
    struct timeline *timeline = numbers->timeline;
    uint64_t low = 0, high = timeline->event_count; // not after the line; after it
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (timeline_lines_before(timeline, middle) <= line)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool row_number_find(const struct row_numbers *numbers, uint64_t number, struct line_at *at)
{
    struct timeline *timeline = numbers->timeline;
    const struct timeline_lane *lane = &timeline->lanes[0];
    *at = (struct line_at){0};
    if (!timeline->event_count)
        return false;
    number = numbers->count ? u64_min(number, numbers->count - 1) : 0;
    if (numbers->sums) {
        at->event =
            level_sums_event_at(numbers->sums, &lane->calls, &lane->folds, number, &at->line);
        return at->event != FOLDS_NONE;
    }
    uint64_t line = number + numbers->header_lines;
    at->event = event_at(numbers, line);
    uint64_t first = timeline_lines_before(timeline, at->event);
    at->line = u64_min(line - u64_min(first, line), timeline_lines_of(timeline, at->event) - 1);
    if (timeline_is_visible(timeline, at->event))
        return true;
    uint64_t near = timeline_previous(timeline, at->event);
    if (near == TIMELINE_NONE)
        near = timeline_next(timeline, at->event);
    *at = (struct line_at){near, 0};
    return near != TIMELINE_NONE;
}
