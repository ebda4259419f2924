// Lets through to a sink of calls what --function, --depth and --hide do: calls of that function
// with what is in them, so many levels deep, except for those of hidden functions.
#ifndef TRAWL_SESSION_CALL_FILTER_H
#define TRAWL_SESSION_CALL_FILTER_H

#include "flow/call_sink.h"
#include "session/call_level.h"

// All zero except for session, sink and outside. Freed by call_filter_free.
struct call_filter {
    struct session *session;
    struct call_sink sink;           // who gets what is let through
    struct call_level outside;       // of all calls
    VEC(, struct call_level) levels; // of the calls that the lane is in
    bool is_last_shown;              // the event given last
    bool has_shown;                  // anything
    bool lacks_memory;               // it stopped for that
};

// For those who give calls. `filter` must stay where it is.
struct call_sink call_filter_sink(struct call_filter *filter);
void call_filter_free(struct call_filter *filter);

#endif
