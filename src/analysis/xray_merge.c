#include "analysis/xray_merge.h"

#include <stdlib.h>

// --- A stream ------------------------------------------------------------------------------------

// Reads on to what makes an item, or ends one.
static void read_ahead(struct xray_merge *merge, struct xray_stream *stream)
{
    while ((stream->has_ahead = xray_next(&stream->cursor, &stream->ahead))) {
        enum xray_kind kind = stream->ahead.kind;
        stream->ahead_cpu = stream->cursor.cpu;
        if (kind <= XRAY_TYPED_EVENT)
            return;
        if (kind == XRAY_FAULT)
            trace_damage_add(&merge->damage, &stream->ahead.fault);
    }
}

// Takes the arguments that follow the item.
static bool take_arguments(struct xray_merge *merge, struct xray_stream *stream)
{
    stream->arguments.count = 0;
    while (stream->has_ahead && stream->ahead.kind == XRAY_ARGUMENT) {
        if (!VEC_ROOM(&stream->arguments, 1))
            return false;
        stream->arguments.items[stream->arguments.count++] = stream->ahead.value;
        read_ahead(merge, stream);
    }
    stream->item.arguments = stream->arguments.items;
    stream->item.argument_count = stream->arguments.count;
    if (stream->arguments.count && stream->item.record.kind == XRAY_ENTER)
        stream->item.record.kind = XRAY_ENTER_ARGS;
    return true;
}

// False: the stream has no more, or the merge lacks memory.
static bool next_item(struct xray_merge *merge, struct xray_stream *stream)
{
    if (!stream->has_ahead)
        return false;
    stream->item.record = stream->ahead;
    stream->item.cpu = stream->ahead_cpu;
    read_ahead(merge, stream);
    if (LIKELY(!stream->has_ahead || stream->ahead.kind != XRAY_ARGUMENT)) {
        stream->item.argument_count = 0;
        return true;
    }
    merge->lacks_memory |= !take_arguments(merge, stream);
    return !merge->lacks_memory;
}

// --- The heap ------------------------------------------------------------------------------------

static bool is_before(const struct xray_merge *merge, uint32_t a, uint32_t b)
{
    uint64_t first = merge->streams[a].item.record.tsc, second = merge->streams[b].item.record.tsc;
    return merge->is_sorted && first != second ? first < second : a < b;
}

static void sink(struct xray_merge *merge, size_t at)
{
    uint32_t moved = merge->heap[at];
    for (size_t child; (child = 2 * at + 1) < merge->heap_count; at = child) {
        if (child + 1 < merge->heap_count &&
            is_before(merge, merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!is_before(merge, merge->heap[child], moved))
            break;
        merge->heap[at] = merge->heap[child];
    }
    merge->heap[at] = moved;
}

bool xray_merge_begin(struct xray_merge *merge, const struct xray_log *log, bool is_sorted)
{
    size_t count = log->threads.count;
    *merge = (struct xray_merge){.log = log, .is_sorted = is_sorted};
    merge->streams = calloc(count + 1, sizeof *merge->streams);
    merge->heap = calloc(count + 1, sizeof *merge->heap);
    if (!merge->streams || !merge->heap)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct xray_stream *stream = &merge->streams[i];
        stream->item.thread = i;
        xray_cursor_thread(&stream->cursor, log, i);
        do
            read_ahead(merge, stream);
        while (stream->has_ahead && stream->ahead.kind == XRAY_ARGUMENT);
        if (next_item(merge, stream))
            merge->heap[merge->heap_count++] = i;
    }
    for (size_t at = merge->heap_count / 2; at-- > 0;)
        sink(merge, at);
    return !merge->lacks_memory;
}

const struct xray_item *xray_merge_next(struct xray_merge *merge)
{
    if (merge->is_begun && merge->heap_count) {
        if (!next_item(merge, &merge->streams[merge->heap[0]]))
            merge->heap[0] = merge->heap[--merge->heap_count];
        if (merge->heap_count > 1)
            sink(merge, 0);
    }
    merge->is_begun = true;
    if (!merge->heap_count || merge->lacks_memory)
        return NULL;
    return &merge->streams[merge->heap[0]].item;
}

void xray_merge_free(struct xray_merge *merge)
{
    for (size_t i = 0; i < merge->log->threads.count && merge->streams; i++)
        free(merge->streams[i].arguments.items);
    free(merge->streams);
    free(merge->heap);
}
