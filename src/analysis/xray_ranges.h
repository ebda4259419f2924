// Cuts the threads of an XRay log into ranges of whole buffers, to be read in parallel.
#ifndef TRAWL_ANALYSIS_XRAY_RANGES_H
#define TRAWL_ANALYSIS_XRAY_RANGES_H

#include "format/xray_log.h"

// Buffers of a thread that follow each other.
struct xray_range {
    uint32_t thread;
    uint64_t first_buffer, end_buffer;
};

VEC(xray_ranges, struct xray_range);

// All buffers, thread by thread, cut into ranges so that `workers` have enough to share, but none
// is smaller than it need be. Not `is_divisible`: each thread is one range; so are those of version
// 1, whose buffers may rely on the time of the one before. False: no memory.
bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned workers,
                     bool is_divisible);

// Whether the range behind this one is of another thread, or there is none.
static inline bool xray_range_ends_thread(const struct xray_ranges *ranges, size_t range)
{
    return range + 1 == ranges->count ||
           ranges->items[range + 1].thread != ranges->items[range].thread;
}

#endif
