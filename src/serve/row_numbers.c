#include "serve/row_numbers.h"

#include "browse/level_sums.h"

#include <pthread.h>
#include <stdlib.h>

// --- Sums ----------------------------------------------------------------------------------------

struct sums {
    pthread_mutex_t lock;
    struct sums_job *job; // NULL: finished, or none
    bool has_sums;
    struct level_sums sums;
};

enum status sums_open(struct sums **out, const struct index_view *view, struct error *err)
{
    struct sums *sums = calloc(1, sizeof *sums);
    if (!sums)
        return error_set(err, STATUS_MEMORY, "no memory to answer");
    pthread_mutex_init(&sums->lock, NULL);
    if (view->info.lanes == 1)
        sums->job = sums_job_start(view, 0);
    *out = sums;
    return STATUS_OK;
}

void sums_close(struct sums *sums)
{
    if (!sums)
        return;
    sums_job_stop(sums->job);
    level_sums_free(&sums->sums);
    pthread_mutex_destroy(&sums->lock);
    free(sums);
}

// Waits for them. NULL: there are none.
static const struct level_sums *sums_wait(struct sums *sums)
{
    struct error err;
    pthread_mutex_lock(&sums->lock);
    if (sums->job)
        sums->has_sums = sums_job_take(sums->job, &sums->sums, &err) == STATUS_OK;
    sums->job = NULL;
    bool has_sums = sums->has_sums;
    pthread_mutex_unlock(&sums->lock);
    return has_sums ? &sums->sums : NULL;
}

// --- Rows ----------------------------------------------------------------------------------------

void row_numbers_begin(struct row_numbers *numbers, struct request_context *context,
                       struct sums *sums)
{
    struct timeline *timeline = &context->timeline;
    bool is_whole = timeline->filter.kind == FILTER_NOTHING && !timeline->filter.hidden.count;
    for (size_t i = 0; i < timeline->lane_count; i++)
        is_whole = is_whole && !timeline->lanes[i].is_left_out &&
                   folds_are_none(&timeline->lanes[i].folds);
    bool is_one = timeline->lane_count == 1;
    *numbers = (struct row_numbers){
        .timeline = timeline,
        .sums = !is_whole && is_one ? sums_wait(sums) : NULL,
        .header_lines =
            context->source.rows == ROWS_LINES ? timeline->indexed->info.header_lines : 0,
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
    uint64_t behind; // the last event that begins at or before the line is the one before this
    PARTITION_POINT(behind, timeline->event_count, timeline_lines_before(timeline, middle) <= line);
    at->event = behind - (behind > 0);
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
