// XRay logs: entries and exits of functions that clang's runtime wrote. An event is a function
// record, a lane a thread; PCs are function ids.
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
    struct xray_pass pass;          // the last one
    struct xray_lane_counts *known; // of each lane, what the index says beyond its events
    struct xray_meter meter;
};

// The log, if the trace is one; else NULL. For the reports that are of logs alone.
struct xray_trace *xray_of(struct trace *trace);

// What there is to say of an XRay log.
extern const struct trace_description xray_description;

#endif
