// Passes the calls of a list to a sink, one after the other.
#ifndef TRAWL_SESSION_CALL_WALK_H
#define TRAWL_SESSION_CALL_WALK_H

#include "base/vec.h"
#include "flow/call_list.h"
#include "flow/call_sink.h"

// A call in which the walk is, and the next call after it.
struct walked_call {
    call_ref next;
    uint64_t exit; // calls of a trace may overlap: a call ends no later than the one around it
    uint8_t how;
    bool is_open, is_clipped;
};

// Initialize with zeros except for sink and list. Free with call_walk_free.
struct call_walk {
    const struct call_sink *sink;
    struct call_list *list;
    VEC(, struct walked_call) stack;
    bool lacks_memory; // the reason why it stopped; otherwise the sink stopped it
};

// Passes a call and the calls in it to the sink: `first_child` and its siblings. False: the sink
// stopped, or there is no memory.
bool call_walk_give(struct call_walk *walk, const struct call *call, call_ref first_child);

void call_walk_free(struct call_walk *walk);

// The time at which control has left a call for good: its last instruction lasts until then.
uint64_t call_end_time(const struct call *call);

#endif
