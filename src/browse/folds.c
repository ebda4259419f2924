#include "browse/folds.h"

#include <stdlib.h>

void folds_free(struct folds *folds)
{
    free(folds->ranges.items);
    *folds = (struct folds){0};
}

// The number of the range that an event lies in; there is one at least.
static size_t range_of(const struct folds *folds, uint64_t event)
{
    size_t low = 0, high = folds->ranges.count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (folds->ranges.items[middle].first <= event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t folds_limit(const struct folds *folds, uint64_t event)
{
    return folds->ranges.count ? folds->ranges.items[range_of(folds, event)].limit : FOLD_NOTHING;
}

bool folds_are_none(const struct folds *folds)
{
    for (size_t i = 0; i < folds->ranges.count; i++) {
        if (folds->ranges.items[i].limit != FOLD_NOTHING)
            return false;
    }
    return true;
}

// Adds a range after the others, or makes the last one longer where the limit is the same.
static void append(struct folds *folds, uint64_t first, uint64_t limit)
{
    if (!folds->ranges.count || folds->ranges.items[folds->ranges.count - 1].limit != limit)
        folds->ranges.items[folds->ranges.count++] = (struct fold_range){first, limit};
}

bool folds_set(struct folds *folds, uint64_t first, uint64_t end, uint64_t limit)
{
    struct folds changed = {0};
    if (first >= end)
        return true;
    if (!VEC_ROOM(&changed.ranges, folds->ranges.count + 3))
        return false;
    const uint64_t limit_behind = folds_limit(folds, end);
    if (first > 0)
        append(&changed, 0, folds_limit(folds, 0));
    for (size_t i = 0; i < folds->ranges.count && folds->ranges.items[i].first < first; i++)
        append(&changed, folds->ranges.items[i].first, folds->ranges.items[i].limit);
    append(&changed, first, limit);
    append(&changed, end, limit_behind);
    for (size_t i = 0; i < folds->ranges.count; i++) {
        if (folds->ranges.items[i].first > end)
            append(&changed, folds->ranges.items[i].first, folds->ranges.items[i].limit);
    }
    folds_free(folds);
    *folds = changed;
    return true;
}

bool folds_is_visible(const struct folds *folds, const struct lane_calls *calls, uint64_t event)
{
    uint64_t limit = folds_limit(folds, event);
    return limit == FOLD_NOTHING || calls->level(calls->self, event) < limit;
}

// What is hidden around an event that is: up to the ends of its range and of the call that hides
// it. Where all is hidden that is the range.
static void hidden_around(const struct folds *folds, const struct lane_calls *calls, uint64_t event,
                          struct lane_call *hidden)
{
    size_t range = range_of(folds, event);
    const struct fold_range *ranges = folds->ranges.items;
    uint64_t end = range + 1 < folds->ranges.count ? ranges[range + 1].first : calls->event_count;
    *hidden = (struct lane_call){.exit = calls->event_count - 1};
    if (ranges[range].limit > 0)
        calls->around(calls->self, event, ranges[range].limit, hidden);
    hidden->entry = u64_max(hidden->entry, ranges[range].first);
    hidden->exit = u64_min(hidden->exit, end - 1);
}

uint64_t folds_next_visible(const struct folds *folds, const struct lane_calls *calls,
                            uint64_t event)
{
    while (event < calls->event_count && !folds_is_visible(folds, calls, event)) {
        struct lane_call hidden;
        hidden_around(folds, calls, event, &hidden);
        event = u64_max(hidden.exit, event) + 1;
    }
    return event < calls->event_count ? event : FOLDS_NONE;
}

uint64_t folds_previous_visible(const struct folds *folds, const struct lane_calls *calls,
                                uint64_t event)
{
    if (event >= calls->event_count)
        return FOLDS_NONE;
    while (!folds_is_visible(folds, calls, event)) {
        struct lane_call hidden;
        hidden_around(folds, calls, event, &hidden);
        if (hidden.entry == 0 || hidden.entry > event)
            return FOLDS_NONE;
        event = hidden.entry - 1;
    }
    return event;
}
