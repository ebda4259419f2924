#include "trace/xray/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Damage --------------------------------------------------------------------------------------

void xray_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [XRAY_FAULT_NO_BUFFER] = "no buffer begins here",
        [XRAY_FAULT_EXTENTS] = "the buffer's extents reach into the next buffer",
        [XRAY_FAULT_LOG_ENDS] = "the log ends inside the buffer",
        [XRAY_FAULT_CUT] = "the buffer ends inside a record",
        [XRAY_FAULT_PREAMBLE] = "the buffer ends inside its preamble",
        [XRAY_FAULT_ORDER] = "an unexpected record, of kind",
        [XRAY_FAULT_KIND] = "unknown kind of metadata record:",
        [XRAY_FAULT_ACTION] = "unknown action of a function record:",
        [XRAY_FAULT_EVENT_SIZE] = "impossible size of an event:",
        [XRAY_FAULT_THREAD] = "a buffer inside the buffer of another thread, of thread",
        [XRAY_FAULT_NO_TIME] = "ticks since a time that the log does not state",
        [XRAY_FAULT_THREADS] = "too many threads; skipped thread",
        [XRAY_FAULT_RECORD_TYPE] = "unknown type of record:",
        [XRAY_FAULT_ARGUMENT] = "an argument that does not belong to the record before it",
    };
    const char *what = texts[fault->kind];
    switch (fault->kind) {
    case XRAY_FAULT_ORDER:
    case XRAY_FAULT_KIND:
    case XRAY_FAULT_ACTION:
    case XRAY_FAULT_THREAD:
    case XRAY_FAULT_THREADS:
    case XRAY_FAULT_RECORD_TYPE:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s %" PRIu64, what, fault->value);
        break;
    case XRAY_FAULT_EVENT_SIZE:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s %" PRId32, what, (int32_t)fault->value);
        break;
    default:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s", what);
        break;
    }
}

void xray_unwound_text(uint64_t count, char *text, size_t size)
{
    snprintf(text, size,
             "calls without an exit, for example because of an exception, ended by the exit of a "
             "function around them: %" PRIu64,
             count);
}

// --- Logs ----------------------------------------------------------------------------------------

bool xray_version_is_known(enum xray_type type, unsigned version)
{
    return version >= 1 && version <= (type == XRAY_BASIC ? 3 : 5);
}

void xray_log_close(struct xray_log *log)
{
    free(log->buffers.items);
    free(log->threads.items);
    free(log->shared.items);
    free(log->made);
    free(log->processes.items);
    free(log->programs.items);
    *log = (struct xray_log){0};
}

bool xray_log_shares(const struct xray_log *log, uint64_t place)
{
    size_t after;
    PARTITION_POINT(after, log->shared.count, log->shared.items[middle].from <= place);
    return after && place < log->shared.items[after - 1].to;
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
    if (log->processes.count)
        snprintf(name, XRAY_THREAD_NAME_BYTES, "%s.tid%" PRIu32,
                 log->processes.items[thread->process].name, thread->tid);
    else if (log->has_many_processes)
        snprintf(name, XRAY_THREAD_NAME_BYTES, "pid%" PRIu32 ".tid%" PRIu32, thread->pid,
                 thread->tid);
    else
        snprintf(name, XRAY_THREAD_NAME_BYTES, "tid%" PRIu32, thread->tid);
}

// --- Ranges --------------------------------------------------------------------------------------

// What is left over from a range is matched afterwards, so smaller ranges are not worthwhile.
#define RANGE_BYTES_MIN (UINT64_C(1) << 20)

bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned parts)
{
    bool is_old = log->header.type == XRAY_FDR && log->header.version == 1;
    uint64_t target_bytes =
        parts == 1 || is_old ? UINT64_MAX : u64_max(log->size_bytes / parts, RANGE_BYTES_MIN);
    for (uint32_t i = 0; i < log->threads.count; i++) {
        const struct xray_thread *thread = &log->threads.items[i];
        uint64_t end = thread->first_buffer + thread->buffer_count;
        for (uint64_t at = thread->first_buffer; at < end;) {
            struct xray_range range = {.log = log, .thread = i, .first_buffer = at};
            for (uint64_t bytes = 0; at < end && bytes < target_bytes; at++)
                bytes += log->buffers.items[at].size_bytes;
            range.end_buffer = at;
            if (!VEC_ROOM(ranges, 1))
                return false;
            ranges->items[ranges->count++] = range;
        }
    }
    return true;
}
