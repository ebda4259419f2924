#include "cmd/xray/in_order.h"

#include <stdlib.h>

// --- A stream ------------------------------------------------------------------------------------

// Reads the next record that is an item, or part of one. False: there are no more.
static bool read_record(struct xray_merge *merge, struct xray_cursor *cursor,
                        struct xray_record *record)
{
    while (xray_next(cursor, record)) {
        if (LIKELY(record->kind <= XRAY_TYPED_EVENT))
            return true;
        if (record->kind == XRAY_FAULT)
            trace_damage_add(&merge->damage, &record->fault);
    }
    return false;
}

static void read_ahead(struct xray_merge *merge, struct xray_stream *stream)
{
    stream->has_ahead = read_record(merge, &stream->cursor, &stream->ahead);
    stream->ahead_cpu = stream->cursor.cpu;
}

// Reads the arguments that follow the item.
static NEVER_INLINE bool take_arguments(struct xray_merge *merge, struct xray_stream *stream)
{
    stream->arguments.count = 0;
    for (read_ahead(merge, stream); stream->has_ahead && stream->ahead.kind == XRAY_ARGUMENT;
         read_ahead(merge, stream)) {
        if (!VEC_ROOM(&stream->arguments, 1))
            return false;
        stream->arguments.items[stream->arguments.count++] = stream->ahead.value;
    }
    stream->item.arguments = stream->arguments.items;
    stream->item.argument_count = stream->arguments.count;
    if (stream->arguments.count && stream->item.record.kind == XRAY_ENTER)
        stream->item.record.kind = XRAY_ENTER_ARGS;
    return true;
}

// False: the stream has no more items, or there is no memory.
static ALWAYS_INLINE bool next_item(struct xray_merge *merge, struct xray_stream *stream)
{
    struct xray_item *item = &stream->item;
    if (UNLIKELY(stream->has_ahead)) {
        item->record = stream->ahead;
        item->cpu = stream->ahead_cpu;
        stream->has_ahead = false;
    } else {
        if (!read_record(merge, &stream->cursor, &item->record))
            return false;
        item->cpu = stream->cursor.cpu;
    }
    item->argument_count = 0;
    if (LIKELY(xray_is_plain_next(&stream->cursor)))
        return true;
    merge->lacks_memory |= !take_arguments(merge, stream);
    return !merge->lacks_memory;
}

// --- Merging -------------------------------------------------------------------------------------

static ALWAYS_INLINE uint64_t tsc_of(const struct xray_merge *merge,
                                     const struct xray_stream *stream)
{
    return merge->is_sorted ? stream->item.record.tsc : 0;
}

bool xray_merge_begin(struct xray_merge *merge, const struct xray_log *log, bool is_sorted)
{
    size_t count = log->threads.count;
    *merge = (struct xray_merge){.log = log, .is_sorted = is_sorted};
    merge->streams = calloc(count + 1, sizeof *merge->streams);
    if (!xray_turns_begin(&merge->turns, count) || !merge->streams)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct xray_stream *stream = &merge->streams[i];
        stream->item.thread = i;
        xray_cursor_thread(&stream->cursor, log, i);
        bool has_item;
        do // arguments before the first item belong to nothing
            has_item = next_item(merge, stream);
        while (has_item && stream->item.record.kind == XRAY_ARGUMENT);
        if (has_item)
            xray_turns_add(&merge->turns, (struct xray_turn){tsc_of(merge, stream), i});
    }
    return !merge->lacks_memory;
}

const struct xray_item *xray_merge_next(struct xray_merge *merge)
{
    struct xray_turns *turns = &merge->turns;
    if (merge->is_begun && turns->count) {
        struct xray_stream *stream = &merge->streams[turns->heap[0].thread];
        if (LIKELY(next_item(merge, stream)))
            xray_turns_go_on(turns, tsc_of(merge, stream));
        else
            xray_turns_end(turns);
    }
    merge->is_begun = true;
    if (!turns->count || merge->lacks_memory)
        return NULL;
    return &merge->streams[turns->heap[0].thread].item;
}

void xray_merge_free(struct xray_merge *merge)
{
    for (size_t i = 0; i < merge->log->threads.count && merge->streams; i++)
        free(merge->streams[i].arguments.items);
    free(merge->streams);
    xray_turns_free(&merge->turns);
}
