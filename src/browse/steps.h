// Steps through calls, which do not ask what is folded.
//
// A function that ends by a tail call has not returned yet: what it called so took its place, and a
// step over it, or out of it, ends where the last of them returns. A step over a call ends early
// where the task is switched away from; a switch of tasks itself is no call.
#ifndef TRAWL_BROWSE_STEPS_H
#define TRAWL_BROWSE_STEPS_H

#include "browse/timeline.h"

enum step {
    STEP_INTO,      // the next event of the lane
    STEP_OVER,      // and what it calls
    STEP_OUT,       // to after the return of the call
    STEP_BACK_INTO, // the same backwards
    STEP_BACK_OVER,
    STEP_BACK_OUT, // to before the call
    STEP_MATCH,    // from before a call to before its return, and back
};

// The event after which a step from after `event` (TRAWL_START: before the first) ends.
// STATUS_NOT_FOUND: there is none, and `err` says why.
enum status step_from(struct timeline *timeline, uint64_t event, enum step step, uint64_t *target,
                      struct error *err);

#endif
