// Cuts the threads of an XRay log into ranges of whole buffers, to be read in parallel.
#ifndef TRAWL_TRACE_XRAY_RANGES_H
#define TRAWL_TRACE_XRAY_RANGES_H

#include "trace/xray/log.h"

// Buffers of a thread that follow each other.
struct xray_range {
    const struct xray_log *log;
    uint32_t thread;
    uint64_t first_buffer, end_buffer;
};

VEC(xray_ranges, struct xray_range);

// Adds all buffers of a log, thread by thread, cut into about `parts` ranges of equal size, and of
// one size at least; more if there are more threads. With 1, and for logs of version 1, whose
// buffers may rely on the time of the one before, each thread is one range. False: no memory.
bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned parts);

// Whether the range after this one is of another thread, or there is none.
static inline bool xray_range_ends_thread(const struct xray_ranges *ranges, size_t range)
{
    return range + 1 == ranges->count || ranges->items[range + 1].log != ranges->items[range].log ||
           ranges->items[range + 1].thread != ranges->items[range].thread;
}

#endif
