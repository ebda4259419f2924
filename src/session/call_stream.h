// Passes all calls of a trace that the filter selects to a sink.
#ifndef TRAWL_SESSION_CALL_STREAM_H
#define TRAWL_SESSION_CALL_STREAM_H

#include "flow/call_sink.h"
#include "session/session.h"

// Passes every call of the trace, or of its index (session_pass), to the sink. For kinds that store
// more than calls (trace_kind.stream), passes them on as they are read, with arguments and events.
// If tasks are distinguished, each is a lane. STATUS_NOT_FOUND: the filter selects nothing. If the
// sink stops, the result is STATUS_OK.
enum status session_stream_calls(struct session *session, const struct call_sink *sink,
                                 struct error *err);

#endif
