// The calls and events of all threads of an XRay log, ordered by time, with their arguments.
//
// Each thread keeps its own order. Of events at the same time, that of the thread that is earlier
// in the log's list comes first. The memory needed is one cursor for each thread.
#ifndef TRAWL_TRACE_XRAY_MERGE_H
#define TRAWL_TRACE_XRAY_MERGE_H

#include "base/vec.h"
#include "trace/xray/record.h"
#include "trace/xray/turns.h"

// A function record or an event. Valid until the next one.
struct xray_item {
    struct xray_record record; // of an entry with arguments: kind XRAY_ENTER_ARGS
    uint32_t thread;           // index in log->threads
    uint16_t cpu;
    const uint64_t *arguments;
    size_t argument_count;
};

// A thread and its next item.
struct xray_stream {
    struct xray_cursor cursor;
    struct xray_item item;
    struct xray_record ahead; // already read, if has_ahead
    bool has_ahead;
    uint16_t ahead_cpu;
    VEC(, uint64_t) arguments;
};

struct xray_merge {
    const struct xray_log *log;
    struct xray_stream *streams;
    struct xray_turns turns; // of streams that have an item
    bool is_sorted;
    bool is_begun;
    bool lacks_memory;
    struct trace_damage damage;
};

// Without `is_sorted`, items are returned thread after thread. False: no memory. Free with
// xray_merge_free in any case.
bool xray_merge_begin(struct xray_merge *merge, const struct xray_log *log, bool is_sorted);

// The next item; NULL: there is none, or lacks_memory.
const struct xray_item *xray_merge_next(struct xray_merge *merge);

void xray_merge_free(struct xray_merge *merge);

#endif
