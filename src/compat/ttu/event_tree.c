#include "compat/ttu/ttu_index.h"

#include "base/vec.h"
#include "compat/ttu/file.h"

#include <stdlib.h>

// Depth arrays: for each call depth in a subtree of events, the number of its lines and events at
// lesser depths. They are merged from those of both children, stay on a stack until their parent
// has its own, and share the bytes of an equal array that was recently written.

struct ttu_depth_entry {
    uint32_t depth;
    uint32_t lines, events; // of lesser depths
    uint32_t left, right;   // the first entry of that depth or more in the children's arrays
};

struct ttu_shared_array {
    uint64_t hash;
    uint64_t copy;   // the place of its entries among the copies, where they may have been
                     // overwritten
    uint64_t offset; // in the file; 0: none
    uint32_t count;
};

struct ttu_depth_arrays {
    VEC(, struct ttu_depth_entry) stack;
    VEC(, struct ttu_depth_entry) merged;
    struct ttu_shared_array *shared;
    struct ttu_depth_entry *copies; // a ring
    uint64_t copied;                // entries copied in total
};

// An array at the top of the stack, or below that of its right sibling.
struct ttu_depth_array {
    uint64_t offset;
    uint32_t count; // 0: of a missing child
};

// What the event itself adds.
struct ttu_depth_event {
    uint32_t depth, lines;
};

#define SHARED_BITS 16
#define COPIES ((uint64_t)1 << 17) // entries kept for comparison
#define SHARED_ENTRIES 4096        // longer arrays are not shared

// --- Merging -------------------------------------------------------------------------------------

static const struct ttu_depth_entry nothing = {.depth = TTU_DEPTH_END};

// Merges the arrays of both children (which end with TTU_DEPTH_END) and the event into `out`, and
// returns the number of entries.
static uint32_t merge(const struct ttu_depth_entry *left, const struct ttu_depth_entry *right,
                      const struct ttu_depth_event *event, struct ttu_depth_entry *out)
{
    const struct ttu_depth_entry *l = left, *r = right;
    for (uint32_t count = 0;; count++) {
        uint32_t depth = l->depth < r->depth ? l->depth : r->depth;
        bool is_past = count && out[count - 1].depth >= event->depth;
        if (!is_past && event->depth < depth)
            depth = event->depth;
        bool counts = event->depth < depth;
        out[count] = (struct ttu_depth_entry){
            .depth = depth,
            .lines = l->lines + r->lines + (counts ? event->lines : 0),
            .events = l->events + r->events + counts,
            .left = (uint32_t)(l - left),
            .right = (uint32_t)(r - right),
        };
        if (depth == TTU_DEPTH_END)
            return count + 1;
        l += l->depth == depth;
        r += r->depth == depth;
    }
}

// --- Sharing -------------------------------------------------------------------------------------

static uint64_t hash_of(const struct ttu_depth_entry *entries, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct ttu_depth_entry *entry = &entries[i];
        uint64_t first = (uint64_t)entry->depth << 32 | entry->lines;
        uint64_t second = (uint64_t)entry->left << 32 | entry->right;
        hash = (hash ^ first) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ hash >> 32 ^ second) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 29 ^ (uint64_t)entry->events << 17;
    }
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t put_entries(struct ttu_stream *stream, const struct ttu_depth_entry *entries,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *out = ttu_stream_add(stream, TTU_DEPTH_BYTES);
        out = put_u32(out, entries[i].depth);
        out = put_u32(out, entries[i].lines);
        out = put_u32(out, entries[i].events);
        out = put_u64(out, entries[i].left);
        put_u64(out, entries[i].right);
    }
    return ttu_stream_position(stream) - (uint64_t)TTU_DEPTH_BYTES * count;
}

// The offset of the array in the file; a new array is written.
static uint64_t put_array(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                          const struct ttu_depth_entry *entries, uint32_t count)
{
    if (count > SHARED_ENTRIES)
        return put_entries(stream, entries, count);
    uint64_t hash = hash_of(entries, count);
    struct ttu_shared_array *shared = &arrays->shared[hash >> (64 - SHARED_BITS)];
    bool is_equal =
        shared->offset && shared->hash == hash && shared->count == count &&
        arrays->copied - shared->copy <= COPIES &&
        !memcmp(arrays->copies + shared->copy % COPIES, entries, count * sizeof *entries);
    if (!is_equal) {
        shared->hash = hash;
        shared->count = count;
        // Stores a copy, contiguous, in the ring.
        uint64_t left = COPIES - arrays->copied % COPIES;
        arrays->copied += left < count ? left : 0;
        uint64_t copy = arrays->copied;
        memcpy(arrays->copies + copy % COPIES, entries, count * sizeof *entries);
        arrays->copied += count;
        shared->copy = copy;
        shared->offset = put_entries(stream, entries, count);
    }
    return shared->offset;
}

// Replaces the arrays of both children on the stack by that of the event above them, and writes it
// to the file. False: no memory.
static bool ttu_depth_arrays_join(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                                  const struct ttu_depth_array *left,
                                  const struct ttu_depth_array *right,
                                  const struct ttu_depth_event *event,
                                  struct ttu_depth_array *joined)
{
    size_t below = arrays->stack.count - left->count - right->count;
    arrays->merged.count = 0;
    if (!VEC_ROOM(&arrays->merged, (size_t)left->count + right->count + 3))
        return false;
    const struct ttu_depth_entry *left_entries =
        left->count ? arrays->stack.items + below : &nothing;
    const struct ttu_depth_entry *right_entries =
        right->count ? arrays->stack.items + below + left->count : &nothing;
    struct ttu_depth_entry *merged = arrays->merged.items;
    if (left->count || right->count) {
        joined->count = merge(left_entries, right_entries, event, merged);
    } else { // an event without children, as every other one is
        merged[0] = (struct ttu_depth_entry){.depth = event->depth};
        merged[1] = (struct ttu_depth_entry){TTU_DEPTH_END, event->lines, 1, 0, 0};
        joined->count = 2;
    }
    joined->offset = put_array(arrays, stream, merged, joined->count);
    arrays->stack.count = below;
    if (!VEC_ROOM(&arrays->stack, joined->count))
        return false;
    memcpy(arrays->stack.items + below, merged, joined->count * sizeof *merged);
    arrays->stack.count += joined->count;
    return true;
}

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

// Writes the next `count` events as a balanced tree: the left half, the middle one, the right half.
static struct subtree put_subtree(struct event_tree *tree, uint64_t count)
{
    struct subtree own = {0};
    struct extended_event middle;
    if (!count)
        return own;
    const struct subtree left = put_subtree(tree, count / 2);
    middle.event = tree->reader.event;
    tree->depth += ttu_call_depths_step(tree->depths, tree->reader.number - 1);
    bool has_more = ttu_event_reader_next(&tree->reader);
    uint64_t line = has_more ? tree->reader.event.line : tree->end->line;
    uint64_t position = has_more ? tree->reader.event.position : tree->end->position;
    middle.size_bytes = position - middle.event.position;
    middle.depth =
        (struct ttu_depth_event){(uint32_t)tree->depth, (uint32_t)(line - middle.event.line)};
    const struct subtree right = put_subtree(tree, count - count / 2 - 1);
    own.height = 1 + (left.height > right.height ? left.height : right.height);
    if (tree->lacks_memory || !ttu_depth_arrays_join(&tree->arrays, tree->stream, &left.array,
                                                     &right.array, &middle.depth, &own.array)) {
        tree->lacks_memory = true;
        return own;
    }
    const struct ttu_event *event = &middle.event;
    uint8_t *out = ttu_stream_add(tree->stream, TTU_EVENT_BYTES);
    out = put_node(out, left.offset, right.offset, own.height);
    out = put_u64(out, event->time);
    out = put_u64(out, event->pc);
    out = put_u64(out, event->position);
    out = put_u64(out, middle.size_bytes);
    out = put_u32(out, (uint32_t)(event->line - tree->header_lines));
    out = put_u32(out, middle.depth.lines);
    out = put_u64(out, event->root);
    out = put_u32(out, middle.depth.depth);
    out = put_u64(out, own.array.offset);
    put_u32(out, own.array.count);
    own.offset = ttu_stream_position(tree->stream) - TTU_EVENT_BYTES;
    return own;
}

bool ttu_event_tree_write(struct ttu_stream *stream, const struct ttu_event_log *log,
                          const struct ttu_call_depths *depths, const struct ttu_events_end *end,
                          uint64_t *root)
{
    struct event_tree tree = {.stream = stream, .depths = depths, .end = end};
    struct ttu_depth_arrays *arrays = &tree.arrays;
    arrays->shared = calloc((size_t)1 << SHARED_BITS, sizeof *arrays->shared);
    arrays->copies = malloc(COPIES * sizeof *arrays->copies);
    tree.lacks_memory = !arrays->shared || !arrays->copies;
    ttu_event_reader_begin(&tree.reader, log, true);
    if (!tree.lacks_memory && ttu_event_reader_next(&tree.reader)) {
        tree.header_lines = tree.reader.event.line - 1;
        *root = put_subtree(&tree, log->count).offset;
        ttu_stream_end(stream);
    }
    free(arrays->stack.items);
    free(arrays->merged.items);
    free(arrays->shared);
    free(arrays->copies);
    return !tree.lacks_memory;
}

// Calls begin and end at transfers of control, and an event has at most one transfer.
static bool add_step(struct ttu_call_depths *depths, uint64_t event, int step)
{
    struct spool *steps = &depths->steps;
    if (event >= steps->used_bytes) {
        uint64_t added = event + 1 - steps->used_bytes;
        char *room = spool_reserve(steps, added);
        if (!room)
            return false;
        memset(room, 0, added);
        steps->used_bytes += added;
    }
    steps->base[event] = (char)(steps->base[event] + step);
    return true;
}

static bool fold_call(void *self, struct call_content *into, const struct call *call,
                      const struct call_content *inner)
{
    (void)into;
    (void)inner;
    return add_step(self, call->entry.event, 1) && add_step(self, call->exit.event + 1, -1);
}

static bool merge_content(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self;
    (void)into;
    (void)from;
    return true;
}

struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths)
{
    return (struct call_consumer){.self = depths, .fold = fold_call, .merge = merge_content};
}

void ttu_call_depths_free(struct ttu_call_depths *depths)
{
    spool_free(&depths->steps);
}
