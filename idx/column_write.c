#include "idx/block.h"
#include "idx/column.h"
#include "idx/varint.h"

// The facts about a block for the directory. While payloads are written, these are in the output,
// where head and directory will be: `room` bytes before the payloads.
struct entry {
    uint64_t min, max;
    uint64_t start;
    uint32_t check;
};

// Offsets in the output.
struct plan {
    size_t at;       // of the column
    size_t entries;  // of the entries, in full width
    size_t payloads; // of the payloads, before they move down
    size_t payload_bytes;
    size_t block_count;
};

static bool write_blocks(struct bytes *out, const struct kernels *kernels,
                         const struct column_source *source, size_t count, struct plan *plan)
{
    uint64_t room[COLUMN_BLOCK];
    for (size_t i = 0; i < plan->block_count; i++) {
        size_t left = count - i * COLUMN_BLOCK;
        unsigned block_count = left < COLUMN_BLOCK ? (unsigned)left : COLUMN_BLOCK;
        const uint64_t *block = source->block(source->self, i * COLUMN_BLOCK, block_count, room);
        if (!VEC_ROOM(out, BLOCK_ROOM_BYTES))
            return false;
        struct extremes extremes = kernels->extremes(block, block_count, 0);
        struct entry entry = {extremes.min, extremes.max, .start = plan->payload_bytes};
        if (entry.min != entry.max) {
            uint8_t *payload = out->items + out->count;
            uint8_t *end = block_write(payload, kernels, block, block_count, entry.min, entry.max);
            size_t bytes = (size_t)(end - payload);
            entry.check = column_check(payload, bytes);
            out->count += bytes;
            plan->payload_bytes += bytes;
        }
        memcpy(out->items + plan->entries + i * sizeof entry, &entry, sizeof entry);
    }
    return true;
}

static struct entry get_entry(const struct bytes *out, const struct plan *plan, size_t i)
{
    struct entry entry;
    memcpy(&entry, out->items + plan->entries + i * sizeof entry, sizeof entry);
    return entry;
}

static unsigned bytes_of(uint64_t value)
{
    return value ? (71 - (unsigned)__builtin_clzll(value)) / 8 : 0;
}

static struct column_head make_head(const struct bytes *out, const struct plan *plan, size_t count)
{
    struct column_head head = {.count = count, .payload_bytes = plan->payload_bytes};
    uint64_t least = UINT64_MAX, greatest_min = 0, range = 0, start = 0;
    for (size_t i = 0; i < plan->block_count; i++) {
        struct entry entry = get_entry(out, plan, i);
        least = u64_min(least, entry.min);
        greatest_min = u64_max(greatest_min, entry.min);
        range = u64_max(range, entry.max - entry.min);
        start = entry.start;
    }
    if (plan->block_count == 0)
        return head;
    head.base = least;
    head.min_bytes = (uint8_t)bytes_of(greatest_min - least);
    head.range_bytes = (uint8_t)bytes_of(range);
    head.start_bytes = (uint8_t)bytes_of(start);
    head.is_short = plan->payload_bytes <= COLUMN_SHORT_BYTES;
    return head;
}

static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
    uint8_t word[8];
    bitpack_store(word, value);
    memcpy(at, word, bytes);
    return at + bytes;
}

// An entry is never longer than in full width, and the head fits before the first entry. So each
// entry is read before it is overwritten.
static uint8_t *write_directory(uint8_t *at, const struct bytes *out, const struct plan *plan,
                                const struct column_head *head)
{
    for (size_t i = 0; i < plan->block_count; i++) {
        struct entry entry = get_entry(out, plan, i);
        at = put(at, entry.min - head->base, head->min_bytes);
        at = put(at, entry.max - entry.min, head->range_bytes);
        at = put(at, entry.start, head->start_bytes);
        at = put(at, entry.check, head->is_short ? 0 : COLUMN_CHECK_BYTES);
    }
    return at;
}

bool column_write_from(struct bytes *out, enum simd simd, const struct column_source *source,
                       size_t count)
{
    struct plan plan = {.at = out->count, .entries = out->count + COLUMN_HEAD_BYTES_MAX};
    plan.block_count = (count + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
    size_t room = COLUMN_HEAD_BYTES_MAX + plan.block_count * sizeof(struct entry);
    if (!VEC_ROOM(out, room))
        return false;
    out->count += room;
    plan.payloads = out->count;
    if (!write_blocks(out, kernels_of(simd), source, count, &plan)) {
        out->count = plan.at;
        return false;
    }
    struct column_head head = make_head(out, &plan, count);
    uint8_t *column = out->items + plan.at;
    uint8_t *at = column + COLUMN_CHECK_BYTES;
    *at++ = (uint8_t)(head.min_bytes | head.range_bytes << 4);
    *at++ = (uint8_t)(head.start_bytes | head.is_short << 4);
    at = varint_write(at, head.count);
    at = varint_write(at, head.payload_bytes);
    at = varint_write(at, head.base);
    at = write_directory(at, out, &plan, &head);
    uint8_t *end = at + plan.payload_bytes;
    memmove(at, out->items + plan.payloads, plan.payload_bytes);
    uint8_t *checked = column + COLUMN_CHECK_BYTES;
    put(column, column_check(checked, (size_t)((head.is_short ? end : at) - checked)),
        COLUMN_CHECK_BYTES);
    out->count = (size_t)(end - out->items);
    return true;
}

static const uint64_t *block_of_array(void *self, size_t from, size_t count, uint64_t *room)
{
    const uint64_t *values = self;
    (void)count;
    (void)room;
    return values + from;
}

bool column_write(struct bytes *out, enum simd simd, const uint64_t *values, size_t count)
{
    const struct column_source source = {(void *)(uintptr_t)values, block_of_array};
    return column_write_from(out, simd, &source, count);
}
