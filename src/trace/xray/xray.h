// XRay logs: entries and exits of functions, written by clang's runtime. An event is a function
// record, a lane is a thread; PCs are function ids.
#ifndef TRAWL_TRACE_XRAY_XRAY_H
#define TRAWL_TRACE_XRAY_XRAY_H

#include "trace/description.h"
#include "trace/trace.h"
#include "trace/xray/meter.h"
#include "trace/xray/pass.h"

extern const struct trace_kind xray_kind;

struct xray_trace {
    struct trace trace;
    struct xray_log log;
    struct xray_pass pass;          // the last pass
    struct xray_lane_counts *known; // for each lane, what the index says besides its events
    struct xray_meter meter;
};

// The log, if the trace is a log; otherwise NULL. For reports that exist only for logs.
struct xray_trace *xray_of(struct trace *trace);

// How an XRay log is described.
extern const struct trace_description xray_description;

#endif
