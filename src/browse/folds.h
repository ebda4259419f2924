// Which events of a lane are folded away.
//
// The events are cut into ranges, each with a limit: an event is visible if its level (the number
// of calls around it) is below the limit of its range. Setting a range replaces what was set in it.
// A step to the next visible event takes one look-up of a call, for any number of folded events;
// nothing is stored per event or line.
#ifndef TRAWL_BROWSE_FOLDS_H
#define TRAWL_BROWSE_FOLDS_H

#include "browse/lane_calls.h"

#define FOLD_NOTHING UINT64_MAX // the limit of a range in which all is visible

#define FOLDS_NONE UINT64_MAX // no such event

struct fold_range {
    uint64_t first; // the range ends where the next one begins
    uint64_t limit;
    uint64_t repeats; // hidden iterations of a loop; 0: not a loop
};

// All zero: everything is visible.
struct folds {
    VEC(, struct fold_range) ranges; // ascending; none: one that hides nothing
};

void folds_free(struct folds *folds);

// Sets the limit of events [first, end). False: no memory, and nothing was changed.
bool folds_set(struct folds *folds, uint64_t first, uint64_t end, uint64_t limit);

// Hides the events [first, end), which are this many iterations of a loop. False: no memory.
bool folds_set_loop(struct folds *folds, uint64_t first, uint64_t end, uint64_t repeats);

// Hides several at once, which ascend and do not overlap. False: no memory, and nothing was
// changed.
struct fold_loop {
    uint64_t first, end, repeats;
};
bool folds_set_loops(struct folds *folds, const struct fold_loop *loops, size_t count);

// How many iterations of a loop these events are, if they were hidden as such; 0: they were not.
uint64_t folds_repeats(const struct folds *folds, uint64_t first, uint64_t end);

// Whether nothing at all is folded.
bool folds_are_none(const struct folds *folds);

// The limit at an event.
uint64_t folds_limit(const struct folds *folds, uint64_t event);

bool folds_is_visible(const struct folds *folds, const struct lane_calls *calls, uint64_t event);

// The first visible event at or after `event`; the last at or before it. FOLDS_NONE: there is
// none.
uint64_t folds_next_visible(const struct folds *folds, const struct lane_calls *calls,
                            uint64_t event);
uint64_t folds_previous_visible(const struct folds *folds, const struct lane_calls *calls,
                                uint64_t event);

#endif
