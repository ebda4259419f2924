// XRay logs: entries and exits of functions, written by clang's runtime. An event is a function
// record, a lane is a thread; PCs are function ids.
#ifndef TRAWL_TRACE_XRAY_XRAY_H
#define TRAWL_TRACE_XRAY_XRAY_H

#include "cli/progress.h"
#include "trace/trace.h"
#include "trace/xray/log.h"
#include "trace/xray/pass.h"

#include <pthread.h>

// The progress of reading a log, for the progress meter.
struct xray_meter {
    struct xray_log_watcher watcher;
    struct progress *progress;
    pthread_t owner; // the thread that shows it
};

// Begins the meter for a log that will be read `passes` times, by the calling thread and others.
// `meter` must not be moved as long as the log exists. progress_end ends the display.
void xray_meter_begin(struct xray_meter *meter, struct progress *progress, enum meter kind,
                      struct xray_log *log, unsigned passes);

extern const struct trace_kind xray_kind;

// Answers of images and instrumentation maps about function ids.
extern const struct function_ids xray_function_ids;

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
