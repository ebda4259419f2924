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
    struct xray_lane_counts *known; // of each lane, what the index tells beyond its events
    struct xray_meter meter;
};

// The log, if the trace is one; else NULL. For the reports that are of logs alone.
struct xray_trace *xray_of(struct trace *trace);

// A pass with a walk of one's own, by so many workers; one takes the log's threads in their order.
enum status xray_walk_all(struct xray_trace *xray, const struct pass_options *options,
                          unsigned workers, void *self, xray_walk *walk, struct pass_result *result,
                          struct error *err);

// For a question about a point: has the index in hand tell what it can without its rows.
enum status xray_recall(struct xray_trace *xray, const struct pass_options *options,
                        struct pass_result *result, struct error *err);

// What there is to say of an XRay log.
extern const struct trace_description xray_description;

#endif
