#include "trace/xray/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool xray_version_is_known(enum xray_type type, unsigned version)
{
    return version >= 1 && version <= (type == XRAY_BASIC ? 3 : 5);
}

void xray_log_close(struct xray_log *log)
{
    free(log->buffers.items);
    free(log->threads.items);
    free(log->made);
    *log = (struct xray_log){0};
}

uint64_t xray_log_start(const struct xray_log *log)
{
    uint64_t start = UINT64_MAX;
    for (size_t i = 0; i < log->buffers.count; i++)
        start = u64_min(start, log->buffers.items[i].first_tsc);
    return log->buffers.count ? start : 0;
}

void xray_thread_name(const struct xray_log *log, const struct xray_thread *thread,
                      char name[XRAY_THREAD_NAME_BYTES])
{
    if (log->has_many_processes)
        snprintf(name, XRAY_THREAD_NAME_BYTES, "pid%" PRIu32 ".tid%" PRIu32, thread->pid,
                 thread->tid);
    else
        snprintf(name, XRAY_THREAD_NAME_BYTES, "tid%" PRIu32, thread->tid);
}
