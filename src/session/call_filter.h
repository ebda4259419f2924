// Lets through to a sink of calls what --function and --depth do: calls of that function with what
// is in them, so many levels deep.
#ifndef TRAWL_SESSION_CALL_FILTER_H
#define TRAWL_SESSION_CALL_FILTER_H

#include "flow/call_sink.h"
#include "session/session.h"

// A call that the lane is in.
struct call_filter_level {
    uint64_t depth; // below the outermost call that is shown, or below the root
    bool is_inside; // of a call that --function names
    bool is_shown;
};

// All zero but for session and sink. Freed by call_filter_free.
struct call_filter {
    struct session *session;
    struct call_sink sink; // who gets what is let through
    VEC(, struct call_filter_level) levels;
    bool is_last_shown; // the event given last
    bool has_shown;     // anything
    bool lacks_memory;  // it stopped for that
};

// For those who give calls. `filter` must stay where it is.
struct call_sink call_filter_sink(struct call_filter *filter);
void call_filter_free(struct call_filter *filter);

#endif
