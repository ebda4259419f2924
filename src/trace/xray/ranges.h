// Cuts the threads of an XRay log into ranges of whole buffers, to be read in parallel.
#ifndef TRAWL_TRACE_XRAY_RANGES_H
#define TRAWL_TRACE_XRAY_RANGES_H

#include "trace/xray/log.h"

// Consecutive buffers of a thread.
struct xray_range {
    const struct xray_log *log;
    uint32_t thread;
    uint64_t first_buffer, end_buffer;
};

VEC(xray_ranges, struct xray_range);

// Adds all buffers of a log, thread by thread, cut into about `parts` ranges of equal size, but
// with a minimum size; more if there are more threads. With `parts` 1, and for logs of version 1,
// whose buffers may depend on the time of the one before, each thread is one range. False: no
// memory.
bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned parts);

// Whether this is the last range of its thread.
static inline bool xray_range_ends_thread(const struct xray_ranges *ranges, size_t range)
{
    return range + 1 == ranges->count || ranges->items[range + 1].log != ranges->items[range].log ||
           ranges->items[range + 1].thread != ranges->items[range].thread;
}

#endif
