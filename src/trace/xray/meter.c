#include "trace/xray/meter.h"

static void on_buffer(void *self, uint64_t size_bytes)
{
    const struct xray_meter *meter = self;
    progress_add(meter->progress, size_bytes);
    if (pthread_equal(meter->owner, pthread_self()))
        progress_show(meter->progress);
}

void xray_meter_begin(struct xray_meter *meter, struct progress *progress, enum meter kind,
                      struct xray_log *log, unsigned passes)
{
    *meter = (struct xray_meter){{on_buffer, meter}, progress, pthread_self()};
    progress_begin(progress, stderr, kind, log->size_bytes * passes);
    log->watcher = kind == METER_OFF ? NULL : &meter->watcher;
}
