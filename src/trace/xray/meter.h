// The progress of reading an XRay log, for the progress meter.
#ifndef TRAWL_TRACE_XRAY_METER_H
#define TRAWL_TRACE_XRAY_METER_H

#include "cli/progress.h"
#include "trace/xray/log.h"

#include <pthread.h>

struct xray_meter {
    struct xray_log_watcher watcher;
    struct progress *progress;
    pthread_t owner; // the thread that shows it
};

// Begins the meter for a log that will be read `passes` times, by the calling thread and others.
// `meter` must not be moved as long as the log exists. progress_end ends the display.
void xray_meter_begin(struct xray_meter *meter, struct progress *progress, enum meter kind,
                      struct xray_log *log, unsigned passes);

#endif
