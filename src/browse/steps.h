// Steps through calls, independent of folds.
//
// A function that ends by a tail call has not returned yet: the called function has replaced it,
// and a step over it, or out of it, ends where the last of them returns. A step over a call ends
// early if the task is switched out; a task switch itself is not a call.
#ifndef TRAWL_BROWSE_STEPS_H
#define TRAWL_BROWSE_STEPS_H

#include "browse/timeline.h"

enum step {
    STEP_INTO,      // the next event of the lane
    STEP_OVER,      // the next event, with what it calls
    STEP_OUT,       // to after the return of the call
    STEP_BACK_INTO, // the same backwards
    STEP_BACK_OVER,
    STEP_BACK_OUT, // to before the call
    STEP_MATCH,    // between the point before a call and the point before its return
};

// The event after which a step from after `event` (TRAWL_START: before the first) ends.
// STATUS_NOT_FOUND: there is none, and `err` says why.
enum status step_from(struct timeline *timeline, uint64_t event, enum step step, uint64_t *target,
                      struct error *err);

#endif
