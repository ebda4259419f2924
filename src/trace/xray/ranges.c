#include "trace/xray/ranges.h"

// What is left over from a range is matched afterwards, so smaller ranges are not worthwhile.
#define RANGE_BYTES_MIN (UINT64_C(1) << 20)

static bool cut_thread(struct xray_ranges *ranges, const struct xray_log *log, uint32_t number,
                       uint64_t target_bytes)
{
    const struct xray_thread *thread = &log->threads.items[number];
    uint64_t end = thread->first_buffer + thread->buffer_count;
    for (uint64_t at = thread->first_buffer; at < end;) {
        struct xray_range range = {.log = log, .thread = number, .first_buffer = at};
        for (uint64_t bytes = 0; at < end && bytes < target_bytes; at++)
            bytes += log->buffers.items[at].size_bytes;
        range.end_buffer = at;
        if (!VEC_ROOM(ranges, 1))
            return false;
        ranges->items[ranges->count++] = range;
    }
    return true;
}

bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned parts)
{
    bool is_old = log->header.type == XRAY_FDR && log->header.version == 1;
    uint64_t target_bytes =
        parts == 1 || is_old ? UINT64_MAX : u64_max(log->size_bytes / parts, RANGE_BYTES_MIN);
    for (uint32_t i = 0; i < log->threads.count; i++) {
        if (!cut_thread(ranges, log, i, target_bytes))
            return false;
    }
    return true;
}
