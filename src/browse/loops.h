// Loops of a function as a lane shows them: what is executed after a jump back to an instruction,
// the head, and again. The first iteration begins where control comes to the head in another way,
// and so ends with the first jump back; the last one ends where the body is left.
#ifndef TRAWL_BROWSE_LOOPS_H
#define TRAWL_BROWSE_LOOPS_H

#include "browse/lane_calls.h"

// Where the events of a lane are executed, by their numbers there.
struct lane_pcs {
    void *self;
    // Without Thumb bit. False: it executes nothing, or the index failed.
    bool (*pc)(void *self, uint64_t event, uint64_t *pc);
};

struct loop {
    uint64_t first, last; // events of all iterations but the first
    uint64_t repeats;     // so many
    uint64_t head;        // address
};

// The innermost loop around an event, within its call, that is gone through more than once. Of one
// that is longer than LIMIT_LOOP_STEPS in a direction, the iterations near the event. False: there
// is none.
bool loop_around(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                 struct loop *loop);

// The loops of the call that an event is in, outside of what it calls, that are gone through more
// than once: ascending, and what is in the first iteration of another is there as well. False:
// the call is longer than LIMIT_LOOP_STEPS, and it is those of its beginning, or there is no more
// room. Returns how many in *count.
bool loops_of_call(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                   struct loop *loops, size_t capacity, size_t *count);

// The PCs of a lane of an index, which must stay open as long. The block is in use until then.
struct index_pcs {
    struct trawl_index *index;
    uint64_t lane, lane_count;
    uint64_t number; // of the block, and one: 0 is none
    size_t count;
    uint64_t pcs[LINE_BLOCK], flags[LINE_BLOCK];
};
struct lane_pcs index_pcs_table(struct index_pcs *pcs);

#endif
