#include "idx/block.h"

#include "idx/numbers.h"
#include "idx/varint.h"

// A block whose parts have been found.
struct parts {
    enum block_shape shape;
    unsigned count;         // of values
    uint64_t stride;        // of runs
    struct places runs;     // starts of all but the first
    uint64_t min;           // what anchors are added to
    unsigned anchor_width;  // of steps
    const uint8_t *anchors; // likewise
    struct numbers numbers;
};

// --- Opening -------------------------------------------------------------------------------------

static bool open_runs(struct parts *parts, struct cursor *cursor)
{
    uint64_t stride, count;
    if (!varint_read(&cursor->at, cursor->end, &stride) ||
        !varint_read(&cursor->at, cursor->end, &count) || count >= parts->count)
        return false;
    parts->stride = unzigzag(stride);
    parts->runs = places_make(cursor->at, (unsigned)count, parts->count, cursor->last);
    return cursor_take(cursor, places_bytes(&parts->runs));
}

static bool open_steps(struct parts *parts, struct cursor *cursor, uint64_t *least, unsigned *width)
{
    const uint8_t *byte;
    if (!varint_read(&cursor->at, cursor->end, least) || !(byte = cursor_take(cursor, 1)) ||
        (*byte > 57 && *byte != 64))
        return false;
    *least = unzigzag(*least);
    *width = *byte;
    unsigned count = (parts->count + BLOCK_ANCHOR - 1) / BLOCK_ANCHOR;
    parts->anchors = cursor_take(cursor, bitpack_bytes(count, parts->anchor_width));
    return parts->anchors;
}

static ALWAYS_INLINE bool open_parts(const struct block *block, struct parts *parts)
{
    struct cursor cursor = {block->payload, block->end, block->last};
    const uint8_t *form = cursor_take(&cursor, 1);
    if (!form || *form >> 4)
        return false;
    parts->shape = *form & BLOCK_SHAPE_MASK;
    parts->count = block->count;
    parts->min = block->min;
    uint64_t min = block->min;
    unsigned count = block->count, width = bitpack_width(block->max - block->min);
    parts->anchor_width = width;
    switch (parts->shape) {
    case BLOCK_PLAIN:
        break;
    case BLOCK_RUNS:
        if (!open_runs(parts, &cursor))
            return false;
        count = parts->runs.count + 1;
        break;
    case BLOCK_STEPS:
        if (!open_steps(parts, &cursor, &min, &width))
            return false;
        count--;
        break;
    default:
        return false;
    }
    return numbers_open(&parts->numbers, &cursor, *form, count, min, width);
}

// --- One value -----------------------------------------------------------------------------------

static bool get_in_run(const struct parts *parts, unsigned i, uint64_t *value)
{
    unsigned start, run = places_rank(&parts->runs, i, &start);
    if (!numbers_get(&parts->numbers, run, value))
        return false;
    *value += parts->stride * (i - start);
    return true;
}

static ALWAYS_INLINE uint64_t get_anchor(const struct parts *parts, unsigned i)
{
    return parts->min + bitpack_get(parts->anchors, i, parts->anchor_width, parts->numbers.last);
}

// From the nearest anchor, forwards or backwards: step i leads from value i to value i + 1.
static bool get_by_steps(const struct parts *parts, unsigned i, uint64_t *value)
{
    uint64_t steps[BLOCK_ANCHOR], sum = 0;
    unsigned anchor = (i + BLOCK_ANCHOR / 2) / BLOCK_ANCHOR;
    anchor -= anchor * BLOCK_ANCHOR >= parts->count; // near the end there is none behind
    unsigned at = anchor * BLOCK_ANCHOR;
    unsigned from = at < i ? at : i, count = at < i ? i - at : at - i;
    *value = get_anchor(parts, anchor);
    if (count && !numbers_read(&parts->numbers, from, count, steps))
        return false;
    for (unsigned k = 0; k < count; k++)
        sum += steps[k];
    *value += at < i ? sum : 0 - sum;
    return true;
}

static ALWAYS_INLINE bool get(const struct parts *parts, unsigned i, uint64_t *value)
{
    switch (parts->shape) {
    case BLOCK_RUNS:
        return get_in_run(parts, i, value);
    case BLOCK_STEPS:
        return get_by_steps(parts, i, value);
    default:
        return numbers_get(&parts->numbers, i, value);
    }
}

bool block_get(const struct block *block, unsigned i, uint64_t *value)
{
    struct parts parts;
    return open_parts(block, &parts) && get(&parts, i, value);
}

// --- Many values ---------------------------------------------------------------------------------

static bool read_runs(const struct parts *parts, unsigned from, unsigned count, uint64_t *out)
{
    uint16_t starts[BLOCK_COUNT_MAX + 1];
    uint64_t firsts[BLOCK_COUNT_MAX];
    unsigned runs = parts->numbers.count;
    starts[0] = 0;
    if (!places_read(&parts->runs, parts->count, starts + 1) ||
        !numbers_read(&parts->numbers, 0, runs, firsts))
        return false;
    unsigned before, run = places_rank(&parts->runs, from, &before);
    unsigned i = from, end = from + count;
    for (; i < end; run++) {
        unsigned run_end = run + 1 < runs && starts[run + 1] < end ? starts[run + 1] : end;
        uint64_t value = firsts[run] + parts->stride * (i - starts[run]);
        for (; i < run_end; i++, value += parts->stride)
            *out++ = value;
    }
    return true;
}

static bool read_steps(const struct parts *parts, unsigned from, unsigned count, uint64_t *out)
{
    uint64_t value;
    if (count == 0)
        return true;
    if (!get_by_steps(parts, from, &value) ||
        !numbers_read(&parts->numbers, from, count - 1, out + 1))
        return false;
    out[0] = value;
    for (unsigned i = 1; i < count; i++)
        out[i] = value += out[i];
    return true;
}

static bool read(const struct parts *parts, unsigned from, unsigned count, uint64_t *out)
{
    switch (parts->shape) {
    case BLOCK_RUNS:
        return read_runs(parts, from, count, out);
    case BLOCK_STEPS:
        return read_steps(parts, from, count, out);
    default:
        return numbers_read(&parts->numbers, from, count, out);
    }
}

bool block_read(const struct block *block, unsigned from, unsigned count, uint64_t *out)
{
    struct parts parts;
    return open_parts(block, &parts) && read(&parts, from, count, out);
}

// --- Searching -----------------------------------------------------------------------------------

// The last anchor in the range that is not above `x` leaves no more than what follows it up to the
// next.
static bool search_steps(const struct parts *parts, unsigned from, unsigned to, uint64_t x,
                         unsigned *place)
{
    unsigned low = from / BLOCK_ANCHOR + 1, high = (to - 1) / BLOCK_ANCHOR + 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (get_anchor(parts, middle) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    unsigned start = (low - 1) * BLOCK_ANCHOR, end = low * BLOCK_ANCHOR;
    from = start > from ? start : from;
    to = end < to ? end : to;
    uint64_t values[BLOCK_ANCHOR];
    if (!read_steps(parts, from, to - from, values))
        return false;
    *place = from;
    for (unsigned i = 0; i < to - from; i++)
        *place += values[i] <= x;
    return true;
}

bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place)
{
    struct parts parts;
    *place = to;
    if (!open_parts(block, &parts))
        return false;
    if (from < to && parts.shape == BLOCK_STEPS)
        return search_steps(&parts, from, to, x, place);
    while (from < to) {
        unsigned middle = (from + to) / 2;
        uint64_t value;
        if (!get(&parts, middle, &value))
            return false;
        if (value <= x)
            from = middle + 1;
        else
            to = middle;
    }
    *place = from;
    return true;
}
