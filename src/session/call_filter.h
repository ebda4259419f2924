// Passes on to a sink the calls that --function, --depth and --hide select: calls of that function
// with the calls in them, down to that depth, except calls of hidden functions.
#ifndef TRAWL_SESSION_CALL_FILTER_H
#define TRAWL_SESSION_CALL_FILTER_H

#include "flow/call_sink.h"
#include "session/call_level.h"

// Initialize with zeros except for session, sink and outside. Free with call_filter_free.
struct call_filter {
    struct session *session;
    struct call_sink sink;           // gets the selected calls
    struct call_level outside;       // of all calls
    VEC(, struct call_level) levels; // of the calls in which the lane is
    bool is_last_shown;              // the last event that was passed in
    bool has_shown;                  // of anything
    bool lacks_memory;               // the reason why it stopped
};

// The sink to pass calls to. `filter` must not be moved.
struct call_sink call_filter_sink(struct call_filter *filter);
void call_filter_free(struct call_filter *filter);

#endif
