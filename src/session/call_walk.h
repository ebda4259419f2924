// Calls of a list, given to a sink one after the other.
#ifndef TRAWL_SESSION_CALL_WALK_H
#define TRAWL_SESSION_CALL_WALK_H

#include "base/vec.h"
#include "flow/call_list.h"
#include "flow/call_sink.h"

// A call that the walk is in, and what it continues with after it.
struct walked_call {
    call_ref next;
    uint64_t exit; // calls of a trace may overlap: those inside end with the one around
    uint8_t how;
    bool is_open, is_clipped;
};

// All zero except for sink and list. Freed by call_walk_free.
struct call_walk {
    const struct call_sink *sink;
    struct call_list *list;
    VEC(, struct walked_call) stack;
    bool lacks_memory; // why it stopped, if not for the sink
};

// Gives the sink a call, with what is in it: `first_child` and what follows on its level. False:
// the sink stopped, or there is no memory.
bool call_walk_give(struct call_walk *walk, const struct call *call, call_ref first_child);

void call_walk_free(struct call_walk *walk);

// When control is out of a call for good: its last instruction lasts until then.
uint64_t call_end_time(const struct call *call);

#endif
