#include "export/ttu/event_tree.h"

#include "export/ttu/format.h"

struct event_tree {
    struct ttu_stream *stream;
    struct ttu_event_reader reader; // one event ahead
    const struct ttu_call_depths *depths;
    const struct ttu_events_end *end;
    struct ttu_depth_arrays arrays;
    uint64_t header_lines;
    int64_t depth; // of the event before the one read ahead
    bool lacks_memory;
};

// A subtree in the file; offset 0: none.
struct subtree {
    uint64_t offset;
    uint32_t height;
    struct ttu_depth_array array;
};

// An event with its extent.
struct extended_event {
    struct ttu_event event;
    uint64_t size_bytes;
    struct ttu_depth_event depth;
};

static void next_event(struct event_tree *tree, struct extended_event *next)
{
    next->event = tree->reader.event;
    tree->depth += ttu_call_depths_step(tree->depths, tree->reader.number - 1);
    bool has_more = ttu_event_reader_next(&tree->reader);
    uint64_t line = has_more ? tree->reader.event.line : tree->end->line;
    uint64_t position = has_more ? tree->reader.event.position : tree->end->position;
    next->size_bytes = position - next->event.position;
    next->depth =
        (struct ttu_depth_event){(uint32_t)tree->depth, (uint32_t)(line - next->event.line)};
}

static uint64_t put_event(const struct event_tree *tree, const struct extended_event *extended,
                          const struct subtree *left, const struct subtree *right,
                          const struct subtree *own)
{
    const struct ttu_event *event = &extended->event;
    uint8_t *out = ttu_stream_add(tree->stream, TTU_EVENT_BYTES);
    out = put_node(out, left->offset, right->offset, own->height);
    out = put_u64(out, event->time);
    out = put_u64(out, event->pc);
    out = put_u64(out, event->position);
    out = put_u64(out, extended->size_bytes);
    out = put_u32(out, (uint32_t)(event->line - tree->header_lines));
    out = put_u32(out, extended->depth.lines);
    out = put_u64(out, event->root);
    out = put_u32(out, extended->depth.depth);
    out = put_u64(out, own->array.offset);
    put_u32(out, own->array.count);
    return ttu_stream_position(tree->stream) - TTU_EVENT_BYTES;
}

// Writes the next `count` events as a balanced tree: the left half, the middle one, the right half.
static struct subtree put_subtree(struct event_tree *tree, uint64_t count)
{
    struct subtree own = {0};
    struct extended_event middle;
    if (!count)
        return own;
    const struct subtree left = put_subtree(tree, count / 2);
    next_event(tree, &middle);
    const struct subtree right = put_subtree(tree, count - count / 2 - 1);
    own.height = 1 + (left.height > right.height ? left.height : right.height);
    if (tree->lacks_memory || !ttu_depth_arrays_join(&tree->arrays, tree->stream, &left.array,
                                                     &right.array, &middle.depth, &own.array)) {
        tree->lacks_memory = true;
        return own;
    }
    own.offset = put_event(tree, &middle, &left, &right, &own);
    return own;
}

bool ttu_event_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          const struct ttu_call_depths *depths, const struct ttu_events_end *end,
                          uint64_t *root)
{
    struct event_tree tree = {.stream = stream, .depths = depths, .end = end};
    tree.lacks_memory = !ttu_depth_arrays_begin(&tree.arrays);
    ttu_event_reader_begin(&tree.reader, log, true);
    if (!tree.lacks_memory && ttu_event_reader_next(&tree.reader)) {
        tree.header_lines = tree.reader.event.line - 1;
        *root = put_subtree(&tree, log->count).offset;
        ttu_stream_end(stream);
    }
    ttu_depth_arrays_free(&tree.arrays);
    return !tree.lacks_memory;
}
