// Loops of a function in a lane: what is executed repeatedly after jumps back to an instruction,
// the head. The first iteration begins where control reaches the head in another way, and ends with
// the first jump back; the last one ends where the body is left.
#ifndef TRAWL_BROWSE_LOOPS_H
#define TRAWL_BROWSE_LOOPS_H

#include "browse/lane_calls.h"

// The PCs of the events of a lane, by their numbers in it.
struct lane_pcs {
    void *self;
    // Without Thumb bit. False: no instruction, or the index failed.
    bool (*pc)(void *self, uint64_t event, uint64_t *pc);
};

struct loop {
    uint64_t first, last; // events of all iterations but the first
    uint64_t repeats;     // number of these
    uint64_t head;        // address
};

// The innermost loop around an event, within its call, with more than one iteration. If it is
// longer than LIMIT_LOOP_STEPS in a direction, only the iterations near the event. False: there is
// none.
bool loop_around(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                 struct loop *loop);

// The loops with more than one iteration in the call of an event, outside of further calls,
// ascending; loops within the first iteration of another are included. *count: their number. False:
// the call is longer than LIMIT_LOOP_STEPS, so these are the loops of its beginning, or there is no
// more room.
bool loops_of_call(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                   struct loop *loops, size_t capacity, size_t *count);

// The PCs of a lane of an index, which must outlive it, as must the block.
struct index_pcs {
    struct trawl_index *index;
    uint64_t lane, lane_count;
    uint64_t number; // of the block + 1; 0: none
    size_t count;
    uint64_t pcs[LINE_BLOCK], flags[LINE_BLOCK];
};
struct lane_pcs index_pcs_table(struct index_pcs *pcs);

#endif
