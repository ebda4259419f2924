// All calls of a trace, as the filter has them, given to a sink.
#ifndef TRAWL_SESSION_CALL_STREAM_H
#define TRAWL_SESSION_CALL_STREAM_H

#include "flow/call_sink.h"
#include "session/session.h"

// Goes over the trace, or its index (session_pass), and gives the sink every call; of kinds that
// keep more than calls (trace_kind.stream), as it is read, with arguments and events. Where tasks
// are distinguished each is a lane.
// STATUS_NOT_FOUND: the filter lets nothing through. A sink that stops ends it with STATUS_OK.
enum status session_stream_calls(struct session *session, const struct call_sink *sink,
                                 struct error *err);

#endif
