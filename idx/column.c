#include "idx/column.h"

#include "idx/block.h"
#include "idx/varint.h"

#define XXH_INLINE_ALL
#include <endian.h>
#include <xxhash.h>

uint32_t column_check(const uint8_t *bytes, size_t count)
{
    return (uint32_t)XXH3_64bits(bytes, count);
}

bool column_check_fits(const uint8_t *stored, const uint8_t *bytes, size_t count)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored, (void)bytes, (void)count;
    return true;
#else
    uint32_t check;
    memcpy(&check, stored, sizeof check);
    return le32toh(check) == column_check(bytes, count);
#endif
}

// --- Opening -------------------------------------------------------------------------------------

// A little-endian number of 0 to 8 bytes. `last` is as for bitpack_get.
static ALWAYS_INLINE uint64_t load(const uint8_t *at, unsigned bytes, const uint8_t *last)
{
    return bitpack_get(at, 0, 8 * bytes, last);
}

static bool open_column(struct column *column, const uint8_t *bytes, size_t available)
{
    if (available < COLUMN_HEAD_BYTES_MIN)
        return false;
    struct column_head head;
    const uint8_t *at = bytes + COLUMN_CHECK_BYTES, *end = bytes + available;
    uint8_t widths = *at++, flags = *at++;
    head.min_bytes = widths & 15;
    head.range_bytes = widths >> 4;
    head.start_bytes = flags & 15;
    head.is_short = flags >> 4 & 1;
    if (flags >> 5 != 0 || head.min_bytes > 8 || head.range_bytes > 8 || head.start_bytes > 8 ||
        !varint_read(&at, end, &head.count) || !varint_read(&at, end, &head.payload_bytes) ||
        !varint_read(&at, end, &head.base) || head.count > COLUMN_COUNT_MAX)
        return false;
    *column = (struct column){
        .bytes = bytes,
        .entries = at,
        .count = head.count,
        .block_count = (head.count + COLUMN_BLOCK - 1) / COLUMN_BLOCK,
        .base = head.base,
        .min_bytes = head.min_bytes,
        .range_bytes = head.range_bytes,
        .start_bytes = head.start_bytes,
        .check_bytes = head.is_short ? 0 : COLUMN_CHECK_BYTES,
    };
    column->entry_bytes = (uint8_t)(column->min_bytes + column->range_bytes + column->start_bytes +
                                    column->check_bytes);
    // At most 2^38 blocks of 28 bytes.
    uint64_t left = (uint64_t)(end - at), directory = column->block_count * column->entry_bytes;
    if (directory > left || head.payload_bytes > left - directory)
        return false;
    if (head.range_bytes == 0 && head.payload_bytes != 0) // no walk visits blocks without entries
        return false;
    column->payloads = at + directory;
    column->end = column->payloads + head.payload_bytes;
    column->size_bytes = (uint64_t)(column->end - bytes);
    const uint8_t *checked = bytes + COLUMN_CHECK_BYTES;
    const uint8_t *checked_end = head.is_short ? column->end : column->payloads;
    return column_check_fits(bytes, checked, (size_t)(checked_end - checked));
}

enum status column_open(struct column *column, enum simd simd, const uint8_t *bytes,
                        size_t available, struct error *err)
{
    if (open_column(column, bytes, available)) {
        column->kernels = kernels_of(simd);
        return STATUS_OK;
    }
    return error_set(err, STATUS_DAMAGED, "damaged column");
}

// --- Blocks --------------------------------------------------------------------------------------

static ALWAYS_INLINE const uint8_t *last_load(const struct column *column)
{
    return column->end - 8; // a head is longer than that
}

// The relative start of the payload of block `i`, which may be the one after the last.
static ALWAYS_INLINE uint64_t payload_start(const struct column *column, uint64_t i)
{
    if (i == column->block_count)
        return (uint64_t)(column->end - column->payloads);
    const uint8_t *entry = column->entries + i * column->entry_bytes;
    return load(entry + column->min_bytes + column->range_bytes, column->start_bytes,
                last_load(column));
}

static bool check_payload(const struct column *column, uint64_t i, const struct block *block)
{
    if (column->check_bytes == 0)
        return true;
    uint64_t bit = UINT64_C(1) << (i & 63);
    uint64_t *word = column->verified ? column->verified + i / 64 : NULL;
    if (word && __atomic_load_n(word, __ATOMIC_RELAXED) & bit)
        return true;
    const uint8_t *entry = column->entries + i * column->entry_bytes;
    if (!column_check_fits(entry + column->entry_bytes - COLUMN_CHECK_BYTES, block->payload,
                           (size_t)(block->end - block->payload)))
        return false;
    if (word)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    return true;
}

static ALWAYS_INLINE bool load_range(const struct column *column, uint64_t i, uint64_t *min,
                                     uint64_t *max)
{
    const uint8_t *entry = column->entries + i * column->entry_bytes;
    uint64_t above = load(entry, column->min_bytes, last_load(column));
    uint64_t range = load(entry + column->min_bytes, column->range_bytes, last_load(column));
    return !__builtin_add_overflow(column->base, above, min) &&
           !__builtin_add_overflow(*min, range, max);
}

// Block `i`, which exists, ready to decode. For a block of equal values, only its minimum is
// needed.
static ALWAYS_INLINE bool open_block(const struct column *column, uint64_t i, struct block *block)
{
    block->kernels = column->kernels;
    if (UNLIKELY(!load_range(column, i, &block->min, &block->max)))
        return false;
    uint64_t left = column->count - i * COLUMN_BLOCK;
    block->count = left < COLUMN_BLOCK ? (unsigned)left : COLUMN_BLOCK;
    if (block->min == block->max)
        return true;
    uint64_t start = payload_start(column, i), end = payload_start(column, i + 1);
    if (UNLIKELY(start >= end || end > (uint64_t)(column->end - column->payloads)))
        return false;
    block->payload = column->payloads + start;
    block->end = column->payloads + end;
    block->last = last_load(column);
    return check_payload(column, i, block);
}

bool column_block_range(const struct column *column, uint64_t block, uint64_t *min, uint64_t *max)
{
    return block < column->block_count && load_range(column, block, min, max);
}

// --- Values --------------------------------------------------------------------------------------

bool column_get(const struct column *column, uint64_t i, uint64_t *value)
{
    struct block block;
    if (UNLIKELY(i >= column->count || !open_block(column, i / COLUMN_BLOCK, &block)))
        return false;
    *value = block.min;
    return block.min == block.max || (block_get(&block, i % COLUMN_BLOCK, value) &&
                                      LIKELY(*value - block.min <= block.max - block.min));
}

bool column_read(const struct column *column, uint64_t from, size_t count, uint64_t *out)
{
    if (from > column->count || count > column->count - from)
        return false;
    while (count) {
        struct block block;
        if (!open_block(column, from / COLUMN_BLOCK, &block))
            return false;
        unsigned first = from % COLUMN_BLOCK;
        unsigned few = block.count - first < count ? block.count - first : (unsigned)count;
        if (block.min != block.max && !block_read(&block, first, few, out))
            return false;
        for (unsigned i = 0; block.min == block.max && i < few; i++)
            out[i] = block.min;
        out += few;
        from += few;
        count -= few;
    }
    return true;
}

bool column_read_rising(const struct column *column, uint64_t from, size_t count, uint64_t *out)
{
    if (!column_read(column, from, count, out))
        return false;
    bool rises = true;
    for (size_t i = 1; i < count; i++)
        rises &= out[i] > out[i - 1];
    return rises;
}

// --- Searching -----------------------------------------------------------------------------------

// Like column_find, for a range within one block.
static bool search_block(const struct column *column, uint64_t from, uint64_t to, uint64_t x,
                         uint64_t *place, uint64_t *before)
{
    struct block block;
    uint64_t number = from / COLUMN_BLOCK, start = number * COLUMN_BLOCK;
    if (!load_range(column, number, &block.min, &block.max))
        return false;
    // The greatest value is the last one, unless the block has values outside of the range.
    bool is_whole = from == start && (to == start + COLUMN_BLOCK || to == column->count);
    if (block.min > x || block.min == block.max || (block.max <= x && is_whole)) {
        *place = block.max <= x ? to : from;
        *before = block.max;
        return true;
    }
    unsigned inside = 0;
    if (!open_block(column, number, &block) ||
        !block_search(&block, (unsigned)(from - start), (unsigned)(to - start), x, &inside, before))
        return false;
    *place = start + inside;
    return *place == from || (*before <= x && *before - block.min <= block.max - block.min);
}

static ALWAYS_INLINE uint64_t load_max(const struct column *column, uint64_t i)
{
    const uint8_t *entry = column->entries + i * column->entry_bytes;
    return column->base + load(entry, column->min_bytes, last_load(column)) +
           load(entry + column->min_bytes, column->range_bytes, last_load(column));
}

// The first of the blocks [from, to) whose greatest value is above `x`, or `to`. Divides the range
// into quarters, like bitpack_search.
static uint64_t search_directory(const struct column *column, uint64_t from, uint64_t to,
                                 uint64_t x)
{
    for (uint64_t part = (to - from) / 4; part; part = (to - from) / 4) {
        uint64_t at = from + part - 1;
        unsigned below = (load_max(column, at) <= x) + (load_max(column, at + part) <= x) +
                         (load_max(column, at + 2 * part) <= x);
        to -= (3 - below) * part;
        from += below * part;
    }
    uint64_t below = 0;
    for (uint64_t i = from; i < to; i++)
        below += load_max(column, i) <= x;
    return from + below;
}

// The first block may contain greater values before `from`, so its maximum gives no information,
// and it is searched first. Of the blocks after it, only the last may end beyond `to`, and nothing
// comes after it.
bool column_find(const struct column *column, uint64_t from, uint64_t to, uint64_t x,
                 uint64_t *place, uint64_t *before)
{
    if (from > to || to > column->count)
        return false;
    *place = to;
    *before = 0;
    if (from == to)
        return true;
    uint64_t first = from / COLUMN_BLOCK, last = (to - 1) / COLUMN_BLOCK, block = first;
    if (from % COLUMN_BLOCK) {
        uint64_t end = u64_min(to, (first + 1) * COLUMN_BLOCK);
        if (!search_block(column, from, end, x, place, before))
            return false;
        if (*place < end || end == to)
            return true;
        block = first + 1;
    }
    uint64_t found = search_directory(column, block, last, x), start = found * COLUMN_BLOCK;
    uint64_t before_start = found > block ? load_max(column, found - 1) : *before;
    if (!search_block(column, start, u64_min(to, start + COLUMN_BLOCK), x, place, before))
        return false;
    if (*place == start)
        *before = before_start;
    return *place == from || *before <= x; // otherwise they decrease, or the directory's do
}

bool column_search(const struct column *column, uint64_t from, uint64_t to, uint64_t x,
                   uint64_t *place)
{
    uint64_t ignored;
    return column_find(column, from, to, x, place, &ignored);
}

// --- Verifying -----------------------------------------------------------------------------------

static bool verify_block(const struct column *column, uint64_t i)
{
    struct block block;
    if (!open_block(column, i, &block))
        return false;
    uint64_t values[COLUMN_BLOCK];
    if (block.min == block.max)
        return true;
    if (!block_read(&block, 0, block.count, values))
        return false;
    uint64_t min = values[0], max = values[0];
    for (unsigned k = 0; k < block.count; k++) {
        uint64_t one;
        if (!block_get(&block, k, &one) || one != values[k])
            return false;
        min = u64_min(min, values[k]);
        max = u64_max(max, values[k]);
    }
    return min == block.min && max == block.max;
}

enum status column_verify(const struct column *column, struct error *err)
{
    struct column all;
    if (open_column(&all, column->bytes, (size_t)column->size_bytes)) {
        all.kernels = column->kernels;
        // Without entries all blocks are equal, and there may be too many to visit.
        uint64_t blocks = all.entry_bytes ? all.block_count : u64_min(all.block_count, 1);
        uint64_t i = 0;
        while (i < blocks && verify_block(&all, i))
            i++;
        if (i == blocks)
            return STATUS_OK;
    }
    return error_set(err, STATUS_DAMAGED, "damaged column");
}
