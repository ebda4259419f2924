// Calls of a log as its records are read, with arguments, payloads and unmatched exits, for a sink:
// nothing is kept but the open calls.
#ifndef TRAWL_TRACE_XRAY_STREAM_H
#define TRAWL_TRACE_XRAY_STREAM_H

#include "flow/call_sink.h"
#include "trace/xray/pass.h"

// Where a lane stands to the range that is asked for. Neither times nor events of it fall.
enum xray_range_state { XRAY_RANGE_BEFORE, XRAY_RANGE_IN, XRAY_RANGE_AFTER };

struct xray_stream {
    const struct call_sink *sink;
    const struct call_range *range;
    const struct xray_log *log;
    const struct pass_result *result; // for the names of lanes
    const char *lane;                 // NULL: all
    bool is_stopped;                  // by the sink
    enum xray_range_state state;      // of the current lane
};

// A walk (trace/xray/pass.h) by one worker, of a struct xray_stream. After the sink stopped, lanes
// are passed over.
bool xray_stream_lane(void *stream, unsigned worker, struct xray_lane *lane, size_t number);

#endif
