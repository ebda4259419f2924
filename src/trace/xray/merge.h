// The calls and events of all threads of an XRay log in the order of time, with their arguments.
//
// Each thread keeps its own order; of events at the same time that of the earlier thread in the
// log's list comes first. Memory is one cursor a thread.
#ifndef TRAWL_TRACE_XRAY_MERGE_H
#define TRAWL_TRACE_XRAY_MERGE_H

#include "base/vec.h"
#include "trace/xray/record.h"
#include "trace/xray/turns.h"

// A function record or an event. Valid until the next.
struct xray_item {
    struct xray_record record; // of an entry with arguments: XRAY_ENTER_ARGS
    uint32_t thread;           // in log->threads
    uint16_t cpu;
    const uint64_t *arguments;
    size_t argument_count;
};

// A thread and its next item.
struct xray_stream {
    struct xray_cursor cursor;
    struct xray_item item;
    struct xray_record ahead; // read already, if has_ahead
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

// Without `is_sorted` thread after thread. False: no memory. Freed by xray_merge_free either way.
bool xray_merge_begin(struct xray_merge *merge, const struct xray_log *log, bool is_sorted);

// The next item; NULL: there is none, or lacks_memory.
const struct xray_item *xray_merge_next(struct xray_merge *merge);

void xray_merge_free(struct xray_merge *merge);

#endif
