// The number of lines of a lane in calls of one level, which is what a fold hides, in O(log n).
//
// Calls of one level do not overlap, so the lines in calls of level L are the sum of their lengths.
// Sums are stored for each level and block of calls that has any of that level; the rest of the
// last block is read from the calls. The beginning of each such block is stored, too, so that a
// visible line is found without reading calls.
#ifndef TRAWL_BROWSE_LEVEL_SUMS_H
#define TRAWL_BROWSE_LEVEL_SUMS_H

#include "browse/folds.h"

#include <stdatomic.h>

struct level_sum {
    uint64_t block;
    uint64_t begin; // lines of the lane before the first call of the level in the block
    uint64_t lines; // of calls of the level that were entered in this block or before it
};

struct level_sums {
    VEC(, struct level_sum) sums; // level by level, blocks ascending
    VEC(, size_t) starts;         // of each level, and where the last one ends
};

// Reads every call of the lane. If *is_cancelled is set meanwhile, ends with STATUS_STOPPED; it may
// be NULL. STATUS_DAMAGED: calls are inconsistent. Freed by level_sums_free either way.
enum status level_sums_make(struct level_sums *sums, const struct lane_calls *calls,
                            const _Atomic bool *is_cancelled, struct error *err);
void level_sums_free(struct level_sums *sums);

// How many visible lines are before an event, which may be calls->event_count.
uint64_t level_sums_visible_before(const struct level_sums *sums, const struct lane_calls *calls,
                                   const struct folds *folds, uint64_t event);

// The visible event of visible line `line`, from 0; *line_in_event is its number in the event.
// FOLDS_NONE: there are fewer lines.
uint64_t level_sums_event_at(const struct level_sums *sums, const struct lane_calls *calls,
                             const struct folds *folds, uint64_t line, uint64_t *line_in_event);

// The same in the background, because it could take longer than a key press may on a large trace.
struct sums_job;

// Starts it for the calls of one lane. The index is opened again, and must stay open until the end.
// NULL: not possible.
struct sums_job *sums_job_start(const struct index_view *indexed, uint64_t lane);

// Waits for the end, and gives the sums to the caller; the job is over. On failure, `err` has the
// reason.
enum status sums_job_take(struct sums_job *job, struct level_sums *sums, struct error *err);

// Stops it. NULL is allowed.
void sums_job_stop(struct sums_job *job);

#endif
