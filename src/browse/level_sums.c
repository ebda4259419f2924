#include "browse/level_sums.h"

#include <stdlib.h>

enum { BLOCK_CALLS = 512 };

struct call_length {
    uint64_t level, lines;
};

// What a block adds to a level, as it is found: blocks ascending.
struct found_sum {
    uint64_t level, block, lines;
};

struct making {
    const struct lane_calls *calls;
    struct call_length lengths[BLOCK_CALLS];
    VEC(, struct found_sum) found;
    uint64_t level_max;
};

void level_sums_free(struct level_sums *sums)
{
    free(sums->sums.items);
    free(sums->starts.items);
    *sums = (struct level_sums){0};
}

static uint64_t lines_between(const struct lane_calls *calls, uint64_t first, uint64_t end)
{
    uint64_t before = calls->lines_before(calls->self, first);
    uint64_t until = calls->lines_before(calls->self, end);
    return until > before ? until - before : 0;
}

static int compare_levels(const void *a, const void *b)
{
    uint64_t first = ((const struct call_length *)a)->level;
    uint64_t second = ((const struct call_length *)b)->level;
    return (first > second) - (first < second);
}

// Sums a block of calls up by levels. False: no memory.
static bool add_block(struct making *making, uint64_t block)
{
    const struct lane_calls *calls = making->calls;
    uint64_t first = block * BLOCK_CALLS;
    size_t count = 0, row = SIZE_MAX;
    for (uint64_t i = first; i < calls->call_count && i < first + BLOCK_CALLS; i++) {
        struct lane_call call;
        calls->call(calls->self, i, &call);
        if (call.level)
            making->lengths[count++] =
                (struct call_length){call.level, lines_between(calls, call.entry, call.exit + 1)};
    }
    qsort(making->lengths, count, sizeof making->lengths[0], compare_levels);
    if (!VEC_ROOM(&making->found, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!i || making->lengths[i].level != making->lengths[i - 1].level) {
            row = making->found.count++;
            making->found.items[row] = (struct found_sum){making->lengths[i].level, block, 0};
        }
        making->found.items[row].lines += making->lengths[i].lines;
        making->level_max = u64_max(making->level_max, making->lengths[i].level);
    }
    return true;
}

// Puts what was found in the order of levels, and adds up.
static bool order(struct level_sums *sums, const struct making *making)
{
    size_t level_count = (size_t)making->level_max + 2;
    if (!VEC_ROOM(&sums->starts, level_count) || !VEC_ROOM(&sums->sums, making->found.count + 1))
        return false;
    size_t *starts = sums->starts.items;
    memset(starts, 0, level_count * sizeof *starts);
    for (size_t i = 0; i < making->found.count; i++)
        starts[making->found.items[i].level + 1]++;
    for (size_t level = 1; level < level_count; level++)
        starts[level] += starts[level - 1];
    // Now starts[level] is where the level begins; while rows are put there it moves to its end.
    for (size_t i = 0; i < making->found.count; i++) {
        const struct found_sum *found = &making->found.items[i];
        size_t at = starts[found->level]++;
        sums->sums.items[at] = (struct level_sum){found->block, found->lines};
    }
    memmove(starts + 1, starts, (level_count - 1) * sizeof *starts);
    starts[0] = 0;
    for (size_t level = 0; level + 1 < level_count; level++) {
        for (size_t i = starts[level] + 1; i < starts[level + 1]; i++)
            sums->sums.items[i].lines += sums->sums.items[i - 1].lines;
    }
    sums->starts.count = level_count;
    sums->sums.count = making->found.count;
    return true;
}

enum status level_sums_make(struct level_sums *sums, const struct lane_calls *calls,
                            const _Atomic bool *is_cancelled, struct error *err)
{
    struct making making = {.calls = calls};
    bool has_memory = true, is_stopped = false;
    *sums = (struct level_sums){0};
    for (uint64_t block = 0; block * BLOCK_CALLS < calls->call_count && has_memory && !is_stopped;
         block++) {
        has_memory = add_block(&making, block);
        is_stopped = is_cancelled && atomic_load(is_cancelled);
    }
    if (is_stopped) {
        free(making.found.items);
        return error_set(err, STATUS_STOPPED, "stopped");
    }
    // Calls lie in each other, so that levels are not more than calls.
    bool is_sound = making.level_max <= calls->call_count;
    has_memory = has_memory && is_sound && order(sums, &making);
    free(making.found.items);
    if (!is_sound)
        return error_set(err, STATUS_DAMAGED, "the index is damaged: levels of calls");
    return has_memory ? STATUS_OK
                      : error_set(err, STATUS_MEMORY, "no memory for the calls of the trace");
}

// The lines of calls of a level that were entered in blocks before `block`.
static uint64_t sum_before(const struct level_sums *sums, uint64_t level, uint64_t block)
{
    if (level + 1 >= sums->starts.count)
        return 0;
    size_t start = sums->starts.items[level], low = start, high = sums->starts.items[level + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums->sums.items[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low > start ? sums->sums.items[low - 1].lines : 0;
}

// How many lines before the event lie in calls of a level.
static uint64_t lines_in_level(const struct level_sums *sums, const struct lane_calls *calls,
                               uint64_t level, uint64_t event)
{
    uint64_t entered = event ? calls->entered(calls->self, event - 1) : 0;
    uint64_t block = entered / BLOCK_CALLS;
    uint64_t lines = sum_before(sums, level, block);
    struct lane_call call;
    for (uint64_t i = block * BLOCK_CALLS; i < entered; i++) {
        calls->call(calls->self, i, &call);
        if (call.level == level)
            lines += lines_between(calls, call.entry, call.exit + 1);
    }
    // The one that the event lies in does not end before it.
    if (event < calls->event_count && calls->level(calls->self, event) >= level) {
        calls->around(calls->self, event, level, &call);
        if (call.entry < event)
            lines -= u64_min(lines, lines_between(calls, event, call.exit + 1));
    }
    return lines;
}

// The visible lines of the events [first, end), which are in one range of that limit.
static uint64_t visible_between(const struct level_sums *sums, const struct lane_calls *calls,
                                uint64_t limit, uint64_t first, uint64_t end)
{
    uint64_t lines = lines_between(calls, first, end);
    if (limit == 0)
        return 0;
    if (limit == FOLD_NOTHING)
        return lines;
    uint64_t hidden_before = lines_in_level(sums, calls, limit, first);
    uint64_t hidden_until = lines_in_level(sums, calls, limit, end);
    return lines - u64_min(lines, hidden_until - u64_min(hidden_until, hidden_before));
}

// Range `number` of the folds, of which there is one where there are none. False: there is no such.
static bool range_at(const struct folds *folds, const struct lane_calls *calls, size_t number,
                     struct fold_range *range, uint64_t *end)
{
    if (number >= folds->ranges.count && number > 0)
        return false;
    *range = folds->ranges.count ? folds->ranges.items[number]
                                 : (struct fold_range){.limit = FOLD_NOTHING};
    *end = number + 1 < folds->ranges.count ? folds->ranges.items[number + 1].first
                                            : calls->event_count;
    return range->first < calls->event_count;
}

uint64_t level_sums_visible_before(const struct level_sums *sums, const struct lane_calls *calls,
                                   const struct folds *folds, uint64_t event)
{
    struct fold_range range;
    uint64_t end, lines = 0;
    for (size_t i = 0; range_at(folds, calls, i, &range, &end) && range.first < event; i++)
        lines += visible_between(sums, calls, range.limit, range.first, u64_min(end, event));
    return lines;
}

// The event of the range with visible line `line` of it.
static uint64_t event_in_range(const struct level_sums *sums, const struct lane_calls *calls,
                               const struct fold_range *range, uint64_t end, uint64_t line,
                               uint64_t *line_in_event)
{
    uint64_t low = range->first, high = end; // as many before `low`, more before `high`
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (visible_between(sums, calls, range->limit, range->first, middle) <= line)
            low = middle;
        else
            high = middle;
    }
    *line_in_event = line - visible_between(sums, calls, range->limit, range->first, low);
    return low;
}

uint64_t level_sums_event_at(const struct level_sums *sums, const struct lane_calls *calls,
                             const struct folds *folds, uint64_t line, uint64_t *line_in_event)
{
    struct fold_range range;
    uint64_t end;
    for (size_t i = 0; range_at(folds, calls, i, &range, &end); i++) {
        uint64_t lines = visible_between(sums, calls, range.limit, range.first, end);
        if (line < lines)
            return event_in_range(sums, calls, &range, end, line, line_in_event);
        line -= lines;
    }
    return FOLDS_NONE;
}
