#include "browse/folds.h"

#include <stdlib.h>

void folds_free(struct folds *folds)
{
    free(folds->ranges.items);
    *folds = (struct folds){0};
}

// The number of the range of an event; there must be a range.
static size_t range_of(const struct folds *folds, uint64_t event)
{
    size_t behind;
    PARTITION_POINT(behind, folds->ranges.count, folds->ranges.items[middle].first <= event);
    return behind - (behind > 0);
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

// Appends a range, or extends the last one if they are equal.
static void append(struct folds *folds, struct fold_range range)
{
    const struct fold_range *last =
        folds->ranges.count ? &folds->ranges.items[folds->ranges.count - 1] : NULL;
    if (!last || last->limit != range.limit || last->repeats || range.repeats)
        folds->ranges.items[folds->ranges.count++] = range;
}

// Folds being changed: previous ranges are copied up to where one is set.
struct change {
    const struct folds *before;
    size_t taken; // number of previous ranges copied
    struct folds after;
};

static void take_until(struct change *change, uint64_t first)
{
    const struct folds *before = change->before;
    while (change->taken < before->ranges.count &&
           before->ranges.items[change->taken].first < first) {
        struct fold_range range = before->ranges.items[change->taken++];
        bool is_cut = change->taken == before->ranges.count ||
                      before->ranges.items[change->taken].first > first;
        range.repeats = is_cut ? 0 : range.repeats; // a part of a loop has no known number
        append(&change->after, range);
    }
    if (first > 0 && !change->after.ranges.count)
        append(&change->after, (struct fold_range){.limit = FOLD_NOTHING});
}

// Sets a range up to `end`; after it the previous ranges continue, unless others are set.
static void set_range(struct change *change, struct fold_range range, uint64_t end, bool goes_on)
{
    const struct folds *before = change->before;
    struct fold_range rest = {.limit = FOLD_NOTHING}; // what is set without ranges
    if (before->ranges.count)
        rest = before->ranges.items[range_of(before, end)];
    take_until(change, range.first);
    append(&change->after, range);
    while (change->taken < before->ranges.count && before->ranges.items[change->taken].first <= end)
        change->taken++;
    rest.repeats = rest.first == end ? rest.repeats : 0;
    rest.first = end;
    if (goes_on)
        append(&change->after, rest);
}

static void end_change(struct folds *folds, struct change *change)
{
    take_until(change, UINT64_MAX);
    folds_free(folds);
    *folds = change->after;
}

static bool set(struct folds *folds, uint64_t end, struct fold_range range)
{
    struct change change = {.before = folds};
    if (range.first >= end)
        return true;
    if (!VEC_ROOM(&change.after.ranges, folds->ranges.count + 3))
        return false;
    set_range(&change, range, end, true);
    end_change(folds, &change);
    return true;
}

bool folds_set_loops(struct folds *folds, const struct fold_loop *loops, size_t count)
{
    struct change change = {.before = folds};
    if (!count)
        return true;
    if (!VEC_ROOM(&change.after.ranges, folds->ranges.count + 2 * count + 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool goes_on = i + 1 == count || loops[i + 1].first > loops[i].end;
        set_range(&change, (struct fold_range){loops[i].first, 0, loops[i].repeats}, loops[i].end,
                  goes_on);
    }
    end_change(folds, &change);
    return true;
}

bool folds_set(struct folds *folds, uint64_t first, uint64_t end, uint64_t limit)
{
    return set(folds, end, (struct fold_range){first, limit, 0});
}

bool folds_set_loop(struct folds *folds, uint64_t first, uint64_t end, uint64_t repeats)
{
    return set(folds, end, (struct fold_range){first, 0, repeats});
}

uint64_t folds_repeats(const struct folds *folds, uint64_t first, uint64_t end)
{
    if (!folds->ranges.count)
        return 0;
    size_t number = range_of(folds, first);
    const struct fold_range *range = &folds->ranges.items[number];
    bool is_whole =
        range->first == first && number + 1 < folds->ranges.count && range[1].first == end;
    return is_whole ? range->repeats : 0;
}

bool folds_is_visible(const struct folds *folds, const struct lane_calls *calls, uint64_t event)
{
    uint64_t limit = folds_limit(folds, event);
    return limit == FOLD_NOTHING || calls->level(calls->self, event) < limit;
}

// The hidden events around a hidden event: up to the ends of its range and of the call that hides
// it; the range, if all of it is hidden.
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
