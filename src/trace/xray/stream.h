// Passes the calls of a log to a sink as its records are read, with arguments, payloads and
// unmatched exits. Only the open calls are stored.
#ifndef TRAWL_TRACE_XRAY_STREAM_H
#define TRAWL_TRACE_XRAY_STREAM_H

#include "flow/call_sink.h"
#include "trace/xray/pass.h"

// Where a lane is relative to the requested range. Times and events never decrease.
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

// A walk (trace/xray/pass.h) by one worker, with a struct xray_stream. After the sink stopped,
// lanes are skipped.
bool xray_stream_lane(void *stream, unsigned worker, struct xray_lane *lane, size_t number);

#endif
