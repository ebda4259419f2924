#include "trace/xray/fault.h"

#include <inttypes.h>
#include <stdio.h>

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
