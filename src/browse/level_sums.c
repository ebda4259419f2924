#include "browse/level_sums.h"

#include "browse/index_job.h"

#include <stdlib.h>

enum { BLOCK_CALLS = 64 };

// What a block adds to a level, in ascending order of blocks.
struct found_sum {
    uint64_t level;
    struct level_sum sum; // its lines are those of the block alone
};

// A call around the current place.
struct open_call {
    uint64_t exit, begin; // begin: lines before its entry
    size_t row;           // of `found`
};

struct making {
    const struct lane_calls *calls;
    VEC(, struct found_sum) found;
    VEC(, struct open_call) open; // the innermost last
    VEC(, size_t) last_rows;      // of each level, and one; 0: none yet
    uint64_t level_max;
};

void level_sums_free(struct level_sums *sums)
{
    free(sums->sums.items);
    free(sums->starts.items);
    *sums = (struct level_sums){0};
}

static uint64_t lines_before(const struct lane_calls *calls, uint64_t event)
{
    return calls->lines_before(calls->self, event);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

// --- Making --------------------------------------------------------------------------------------

// Ends calls whose last event is before `event`. Because calls nest, lines are requested in the
// order of events.
static void end_calls(struct making *making, uint64_t event)
{
    while (making->open.count) {
        const struct open_call *call = &making->open.items[making->open.count - 1];
        if (call->exit >= event)
            return;
        uint64_t end = lines_before(making->calls, call->exit + 1);
        making->found.items[call->row].sum.lines += difference(end, call->begin);
        making->open.count--;
    }
}

static enum status add_call(struct making *making, uint64_t number, struct error *err)
{
    struct lane_call call;
    uint64_t block = number / BLOCK_CALLS;
    making->calls->call(making->calls->self, number, &call);
    if (!call.level)
        return STATUS_OK;
    // Calls nest, so none can be in more calls than came before it.
    if (call.level > number + 1)
        return error_set(err, STATUS_DAMAGED, "the index is damaged: levels of calls");
    size_t known = making->last_rows.count, level = (size_t)call.level;
    size_t added = level < known ? 0 : level + 1 - known;
    if (!VEC_ROOM(&making->found, 1) || !VEC_ROOM(&making->open, 1) ||
        (added && !VEC_ROOM(&making->last_rows, added)))
        return error_set(err, STATUS_MEMORY, "no memory for the calls of the trace");
    if (added)
        memset(making->last_rows.items + known, 0, added * sizeof(size_t));
    making->last_rows.count += added;
    end_calls(making, call.entry);
    uint64_t begin = lines_before(making->calls, call.entry);
    // The row of the level in the block: the last one, or a new one.
    size_t *last = &making->last_rows.items[level];
    if (!*last || making->found.items[*last - 1].sum.block != block) {
        making->found.items[making->found.count++] =
            (struct found_sum){call.level, {block, begin, 0}};
        *last = making->found.count;
    }
    making->open.items[making->open.count++] = (struct open_call){call.exit, begin, *last - 1};
    making->level_max = u64_max(making->level_max, call.level);
    return STATUS_OK;
}

// Sorts what was found by level, and adds it up.
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
    // Now starts[level] is where the level begins; it moves to its end while rows are added.
    for (size_t i = 0; i < making->found.count; i++) {
        const struct found_sum *found = &making->found.items[i];
        sums->sums.items[starts[found->level]++] = found->sum;
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
    enum status status = STATUS_OK;
    *sums = (struct level_sums){0};
    for (uint64_t i = 0; i < calls->call_count && status == STATUS_OK; i++) {
        if (i % BLOCK_CALLS == 0 && is_cancelled && atomic_load(is_cancelled))
            status = error_set(err, STATUS_STOPPED, "stopped");
        else
            status = add_call(&making, i, err);
    }
    end_calls(&making, UINT64_MAX);
    if (status == STATUS_OK && !order(sums, &making))
        status = error_set(err, STATUS_MEMORY, "no memory for the calls of the trace");
    free(making.found.items);
    free(making.open.items);
    free(making.last_rows.items);
    return status;
}

// --- Asking --------------------------------------------------------------------------------------

// Whether to count a call that begins after `begin` lines, `hidden` of them hidden.
typedef bool is_counted(uint64_t begin, uint64_t hidden, uint64_t until);

// Lines of the lane.
static bool begins_before(uint64_t begin, uint64_t hidden, uint64_t until)
{
    (void)hidden;
    return begin < until;
}

// Lines that are not in calls of the level.
static bool leaves_before(uint64_t begin, uint64_t hidden, uint64_t until)
{
    return difference(begin, hidden) <= until;
}

// The lines of the calls of a level, up to the first that is not counted; *end is where the last of
// them ends.
static uint64_t lines_in_calls(const struct level_sums *sums, const struct lane_calls *calls,
                               uint64_t level, is_counted *is_counted_, uint64_t until,
                               uint64_t *end)
{
    *end = 0;
    if (level + 1 >= sums->starts.count)
        return 0;
    const struct level_sum *rows = sums->sums.items + sums->starts.items[level];
    size_t low;
    PARTITION_POINT(low, sums->starts.items[level + 1] - sums->starts.items[level],
                    is_counted_(rows[middle].begin, middle ? rows[middle - 1].lines : 0, until));
    if (!low)
        return 0;
    uint64_t lines = low > 1 ? rows[low - 2].lines : 0;
    uint64_t first = rows[low - 1].block * BLOCK_CALLS;
    for (uint64_t i = first; i < calls->call_count && i < first + BLOCK_CALLS; i++) {
        struct lane_call call;
        calls->call(calls->self, i, &call);
        if (call.level != level)
            continue;
        uint64_t begin = lines_before(calls, call.entry);
        if (!is_counted_(begin, lines, until))
            break;
        *end = lines_before(calls, call.exit + 1);
        lines += difference(*end, begin);
    }
    return lines;
}

// How many of the first `until` lines are in calls of a level.
static uint64_t lines_in_level(const struct level_sums *sums, const struct lane_calls *calls,
                               uint64_t level, uint64_t until)
{
    uint64_t end, lines = lines_in_calls(sums, calls, level, begins_before, until, &end);
    return difference(lines, difference(end, until)); // the part of the last call after them
}

// Range `number` of the folds; without folds there is one. False: there is no such range.
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

// The visible lines of a range up to an event after its first.
static uint64_t visible_in_range(const struct level_sums *sums, const struct lane_calls *calls,
                                 const struct fold_range *range, uint64_t end)
{
    if (range->limit == 0)
        return 0;
    uint64_t first = lines_before(calls, range->first), last = lines_before(calls, end);
    uint64_t lines = difference(last, first);
    if (range->limit == FOLD_NOTHING)
        return lines;
    uint64_t hidden_before = lines_in_level(sums, calls, range->limit, first);
    uint64_t hidden_until = lines_in_level(sums, calls, range->limit, last);
    return difference(lines, difference(hidden_until, hidden_before));
}

uint64_t level_sums_visible_before(const struct level_sums *sums, const struct lane_calls *calls,
                                   const struct folds *folds, uint64_t event)
{
    struct fold_range range;
    uint64_t end, lines = 0;
    for (size_t i = 0; range_at(folds, calls, i, &range, &end) && range.first < event; i++)
        lines += visible_in_range(sums, calls, &range, u64_min(end, event));
    return lines;
}

uint64_t level_sums_event_at(const struct level_sums *sums, const struct lane_calls *calls,
                             const struct folds *folds, uint64_t line, uint64_t *line_in_event)
{
    struct fold_range range;
    uint64_t end, lines;
    bool is_there;
    size_t number = 0;
    while ((is_there = range_at(folds, calls, number++, &range, &end)) &&
           line >= (lines = visible_in_range(sums, calls, &range, end)))
        line -= lines;
    if (!is_there)
        return FOLDS_NONE;
    // The line of the lane that is this visible one of the range,
    uint64_t at = lines_before(calls, range.first) + line, ignored;
    if (range.limit != FOLD_NOTHING) {
        at -= lines_in_level(sums, calls, range.limit, lines_before(calls, range.first));
        at += lines_in_calls(sums, calls, range.limit, leaves_before, at, &ignored);
    }
    // and the event of the range that it belongs to.
    uint64_t behind;
    PARTITION_POINT(behind, end - range.first, lines_before(calls, range.first + middle) <= at);
    uint64_t event = range.first + behind - (behind > 0);
    *line_in_event = difference(at, lines_before(calls, event));
    return event;
}

// --- In the background ---------------------------------------------------------------------------

struct sums_job {
    struct index_job *job;
    uint64_t lane;
    struct level_sums sums;
    enum status status;
    struct error err;
};

static void make(void *context, const struct index_view *view, const _Atomic bool *is_cancelled)
{
    struct sums_job *job = context;
    struct index_calls calls;
    job->status = index_calls_open(&calls, view, job->lane, &job->err);
    if (job->status == STATUS_OK) {
        const struct lane_calls table = index_calls_table(&calls);
        job->status = level_sums_make(&job->sums, &table, is_cancelled, &job->err);
    }
    if (job->status == STATUS_OK && calls.has_failed) {
        job->err = calls.err;
        job->status = job->err.status;
    }
    index_calls_free(&calls);
}

struct sums_job *sums_job_start(const struct index_view *indexed, uint64_t lane)
{
    struct sums_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->lane = lane;
    job->job = index_job_start(indexed, make, job);
    if (job->job)
        return job;
    free(job);
    return NULL;
}

enum status sums_job_take(struct sums_job *job, struct level_sums *sums, struct error *err)
{
    index_job_end(job->job, INDEX_JOB_FINISH);
    enum status status = job->status;
    if (status == STATUS_OK) {
        *sums = job->sums;
        job->sums = (struct level_sums){0};
    } else {
        *err = job->err;
    }
    level_sums_free(&job->sums);
    free(job);
    return status;
}

void sums_job_stop(struct sums_job *job)
{
    if (!job)
        return;
    index_job_end(job->job, INDEX_JOB_STOP);
    level_sums_free(&job->sums);
    free(job);
}
