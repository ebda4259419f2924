#include "export/ttu/depth_arrays.h"

#include "export/ttu/format.h"

#include <stdlib.h>

#define SHARED_BITS 16
#define COPIES ((uint64_t)1 << 17) // entries kept for comparison
#define SHARED_ENTRIES 4096        // longer arrays are not shared

bool ttu_depth_arrays_begin(struct ttu_depth_arrays *arrays)
{
    *arrays = (struct ttu_depth_arrays){
        .shared = calloc((size_t)1 << SHARED_BITS, sizeof *arrays->shared),
        .copies = malloc(COPIES * sizeof *arrays->copies),
    };
    return arrays->shared && arrays->copies;
}

void ttu_depth_arrays_free(struct ttu_depth_arrays *arrays)
{
    free(arrays->stack.items);
    free(arrays->merged.items);
    free(arrays->shared);
    free(arrays->copies);
    *arrays = (struct ttu_depth_arrays){0};
}

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

// The same of an event without children, as every other one is.
static uint32_t begin_array(const struct ttu_depth_event *event, struct ttu_depth_entry *out)
{
    out[0] = (struct ttu_depth_entry){.depth = event->depth};
    out[1] = (struct ttu_depth_entry){.depth = TTU_DEPTH_END, .lines = event->lines, .events = 1};
    return 2;
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

static bool is_equal(const struct ttu_depth_arrays *arrays, const struct ttu_shared_array *shared,
                     uint64_t hash, const struct ttu_depth_entry *entries, uint32_t count)
{
    return shared->offset && shared->hash == hash && shared->count == count &&
           arrays->copied - shared->copy <= COPIES &&
           memcmp(arrays->copies + shared->copy % COPIES, entries, count * sizeof *entries) == 0;
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

// Stores a copy, contiguous, in the ring.
static uint64_t keep(struct ttu_depth_arrays *arrays, const struct ttu_depth_entry *entries,
                     uint32_t count)
{
    uint64_t left = COPIES - arrays->copied % COPIES;
    arrays->copied += left < count ? left : 0;
    uint64_t copy = arrays->copied;
    memcpy(arrays->copies + copy % COPIES, entries, count * sizeof *entries);
    arrays->copied += count;
    return copy;
}

// The offset of the array in the file; a new array is written.
static uint64_t put_array(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                          const struct ttu_depth_entry *entries, uint32_t count)
{
    if (count > SHARED_ENTRIES)
        return put_entries(stream, entries, count);
    uint64_t hash = hash_of(entries, count);
    struct ttu_shared_array *shared = &arrays->shared[hash >> (64 - SHARED_BITS)];
    if (!is_equal(arrays, shared, hash, entries, count)) {
        shared->hash = hash;
        shared->count = count;
        shared->copy = keep(arrays, entries, count);
        shared->offset = put_entries(stream, entries, count);
    }
    return shared->offset;
}

bool ttu_depth_arrays_join(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                           const struct ttu_depth_array *left, const struct ttu_depth_array *right,
                           const struct ttu_depth_event *event, struct ttu_depth_array *joined)
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
    joined->count = left->count || right->count ? merge(left_entries, right_entries, event, merged)
                                                : begin_array(event, merged);
    joined->offset = put_array(arrays, stream, merged, joined->count);
    arrays->stack.count = below;
    if (!VEC_ROOM(&arrays->stack, joined->count))
        return false;
    memcpy(arrays->stack.items + below, merged, joined->count * sizeof *merged);
    arrays->stack.count += joined->count;
    return true;
}
