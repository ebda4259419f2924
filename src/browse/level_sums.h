// How many lines of a lane are in calls of one level: what a fold hides, in O(log n).
//
// Calls of one level do not overlap, and so what is in those of level L is the sum of their
// lengths. The sums are kept for each level and block of calls that has any of that level; the rest
// of the last block is read from the calls. With the sums is where such a block begins, so that
// a visible line is found among them, too, without asking the calls.
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

// Reads every call of the lane, until *is_cancelled, which may be NULL, is set: then it ends with
// STATUS_STOPPED. STATUS_DAMAGED: they do not fit together. Freed by level_sums_free
// either way.
enum status level_sums_make(struct level_sums *sums, const struct lane_calls *calls,
                            const _Atomic bool *is_cancelled, struct error *err);
void level_sums_free(struct level_sums *sums);

// How many visible lines are before an event, which may be calls->event_count.
uint64_t level_sums_visible_before(const struct level_sums *sums, const struct lane_calls *calls,
                                   const struct folds *folds, uint64_t event);

// The visible event that visible line `line`, from 0, belongs to; *line_in_event is its number
// there. FOLDS_NONE: there are not so many.
uint64_t level_sums_event_at(const struct level_sums *sums, const struct lane_calls *calls,
                             const struct folds *folds, uint64_t line, uint64_t *line_in_event);

#endif
