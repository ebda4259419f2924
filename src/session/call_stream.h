// Passes all calls of a trace that the filter selects to a sink.
#ifndef TRAWL_SESSION_CALL_STREAM_H
#define TRAWL_SESSION_CALL_STREAM_H

#include "flow/call_sink.h"
#include "session/session.h"

// --- Levels of calls -----------------------------------------------------------------------------

// Applies --function, --depth and --hide to a call, given their effect on the call around it.

struct call_level {
    uint64_t below; // depth of the calls in it, below the outermost one shown or the root
    bool is_inside; // it is in a call that --function names, or --function is not used
    bool is_hidden; // it is hidden itself, or it was called in a hidden call
    bool is_shown;  // it is selected: inside, not hidden, and not too deep
    bool is_outer;  // it is hidden itself, and the call around it is not
};

// The level around the outermost calls. Without --function, these have depth `depth`.
struct call_level call_level_outside(const struct session *session, uint64_t depth);

// The level of a call inside `around`, entered at `pc`; `how` is enum call_how.
struct call_level call_level_of(struct session *session, const struct call_level *around,
                                uint64_t pc, unsigned how);

// The depth of a call that is shown.
static inline uint64_t call_level_depth(const struct call_level *level)
{
    return level->below - 1;
}

// Counts the call among the hidden ones, if it is the outermost hidden one.
void call_level_count(struct session *session, const struct call_level *level, unsigned how);

// --- All calls -----------------------------------------------------------------------------------

// Passes every call of the trace, or of its index (session_pass), to the sink. For kinds that store
// more than calls (trace_direct.stream), passes them on as they are read, with arguments and
// events. If tasks are distinguished, each is a lane. STATUS_NOT_FOUND: the filter selects nothing.
// If the sink stops, the result is STATUS_OK.
enum status session_stream_calls(struct session *session, const struct call_sink *sink,
                                 struct error *err);

#endif
