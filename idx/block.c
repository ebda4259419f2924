#include "idx/block.h"

#include "idx/varint.h"

// A block whose parts were located.
struct parts {
    enum block_shape shape;
    unsigned count;         // of values
    uint64_t stride;        // of runs
    struct bitset runs;     // starts of all runs but the first
    uint64_t min, range;    // the least value, to which anchors are added; greatest - least
    unsigned anchor_width;  // of steps
    const uint8_t *anchors; // of steps
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
    parts->runs = bitset_make(cursor->at, (unsigned)count, parts->count, cursor->last);
    return cursor_take(cursor, bitset_bytes(&parts->runs));
}

static bool open_steps(struct parts *parts, struct cursor *cursor, uint64_t *least, unsigned *width)
{
    if (!varint_read(&cursor->at, cursor->end, least) || !cursor_take_width(cursor, width))
        return false;
    *least = unzigzag(*least);
    unsigned count = (parts->count + BLOCK_ANCHOR - 1) / BLOCK_ANCHOR;
    parts->anchors = cursor_take(cursor, bitpack_bytes(count, parts->anchor_width));
    return parts->anchors;
}

static ALWAYS_INLINE bool open_parts(const struct block *block, struct parts *parts)
{
    struct cursor cursor = {block->kernels, block->payload, block->end, block->last};
    const uint8_t *form = cursor_take(&cursor, 1);
    if (!form || *form >> 4)
        return false;
    parts->shape = *form & BLOCK_SHAPE_MASK;
    parts->count = block->count;
    parts->min = block->min;
    parts->range = block->max - block->min;
    uint64_t min = block->min, range = parts->range;
    unsigned count = block->count, width = bitpack_width(range);
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
        range = UINT64_MAX; // known only for values
        break;
    default:
        return false;
    }
    return numbers_open(&parts->numbers, &cursor, *form, count, min, width, range);
}

// --- One value -----------------------------------------------------------------------------------

static bool get_in_run(const struct parts *parts, unsigned i, uint64_t *value)
{
    unsigned run = bitset_rank(&parts->runs, i);
    if (!numbers_get(&parts->numbers, run, value))
        return false;
    if (parts->stride)
        *value += parts->stride * (i - bitset_before(&parts->runs, i, run));
    return true;
}

static ALWAYS_INLINE uint64_t get_anchor(const struct parts *parts, unsigned i)
{
    return parts->min + bitpack_get(parts->anchors, i, parts->anchor_width, parts->numbers.last);
}

// From the nearest anchor, forwards or backwards. Step i is the difference from value i to value i
// + 1.
static bool get_by_steps(const struct parts *parts, unsigned i, uint64_t *value)
{
    uint64_t sum = 0;
    unsigned anchor = (i + BLOCK_ANCHOR / 2) / BLOCK_ANCHOR;
    anchor -= anchor * BLOCK_ANCHOR >= parts->count; // near the end there is no anchor after it
    unsigned at = anchor * BLOCK_ANCHOR;
    *value = get_anchor(parts, anchor);
    if (at < i ? !numbers_sum(&parts->numbers, at, i - at, &sum)
               : !numbers_sum(&parts->numbers, i, at - i, &sum))
        return false;
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
    // The most frequent form is also the simplest.
    if (*block->payload == BLOCK_PLAIN) {
        unsigned width = bitpack_width(block->max - block->min);
        *value = block->min + bitpack_get(block->payload + 1, i, width, block->last);
        return (size_t)(block->end - block->payload) == 1 + bitpack_bytes(block->count, width);
    }
    struct parts parts;
    return open_parts(block, &parts) && get(&parts, i, value);
}

// --- Many values ---------------------------------------------------------------------------------

// Writes out[0] = value, out[1] = value + stride and so on up to out[count - 1], in whole groups:
// up to RUN_GROUP - 1 further values are overwritten.
#define RUN_GROUP 8

static ALWAYS_INLINE void write_run(uint64_t *out, unsigned count, uint64_t value, uint64_t stride)
{
    for (unsigned i = 0; i < count; i += RUN_GROUP, value += RUN_GROUP * stride) {
        for (unsigned k = 0; k < RUN_GROUP; k++)
            out[i + k] = value + k * stride;
    }
}

// The same at the end of `out`: nothing is written beyond it.
static ALWAYS_INLINE void write_last_run(uint64_t *out, unsigned count, uint64_t value,
                                         uint64_t stride)
{
    unsigned whole = count / RUN_GROUP * RUN_GROUP;
    write_run(out, whole, value, stride);
    for (unsigned i = whole; i < count; i++)
        out[i] = value + i * stride;
}

// The sum of the steps of a block that are below this is less than 2^63.
#define STEP_END (UINT64_C(1) << 53)

_Static_assert(BLOCK_COUNT_MAX <= UINT64_C(1) << 10, "of steps below 2^53");

// Whether the values are between the block's extremes.
static bool are_within(const struct parts *parts, const uint64_t *values, unsigned count)
{
    return are_numbers_within(parts->numbers.kernels, values, count, parts->min, parts->range);
}

// The same for values whose steps are 0 to STEP_END - 1: unless they overflow 64 bits, all are
// between the first and the last.
static bool are_rising_within(const struct parts *parts, const uint64_t *values, unsigned count)
{
    uint64_t first = values[0] - parts->min, last = values[count - 1] - parts->min;
    return first <= last ? last <= parts->range : are_within(parts, values, count);
}

// Most runs fit into one group, so there is no branch to mispredict.
static bool read_runs(const struct parts *parts, unsigned from, unsigned count, uint64_t *out)
{
    uint16_t starts[BLOCK_COUNT_MAX + 1];
    uint64_t firsts[BLOCK_COUNT_MAX];
    if (count == 0)
        return true;
    unsigned run, end = from + count;
    unsigned more = bitset_read(&parts->runs, from + 1, end, &run, starts);
    if (more == UINT_MAX || !numbers_read(&parts->numbers, run, more + 1, firsts))
        return false;
    starts[more] = (uint16_t)end;
    unsigned before = bitset_before(&parts->runs, from, run);
    uint64_t first = firsts[0] + parts->stride * (from - before);
    unsigned i = 0, start = from;
    for (; i < more && starts[i] + RUN_GROUP <= end; i++) {
        write_run(out + start - from, starts[i] - start, first, parts->stride);
        start = starts[i];
        first = firsts[i + 1];
    }
    for (;; first = firsts[++i]) {
        write_last_run(out + start - from, starts[i] - start, first, parts->stride);
        if (i == more)
            break;
        start = starts[i];
    }
    if (parts->stride == 0) // the values are the numbers, which were checked
        return true;
    bool is_rising = more == 0 && parts->stride < STEP_END;
    return is_rising ? are_rising_within(parts, out, count) : are_within(parts, out, count);
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
    parts->numbers.kernels->add_up(out + 1, count - 1, value);
    const struct numbers *steps = &parts->numbers;
    bool is_rising =
        count > WITHIN_FEW && steps->min < STEP_END && numbers_reach(steps) < STEP_END - steps->min;
    return is_rising ? are_rising_within(parts, out, count) : are_within(parts, out, count);
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

// Walks from value `from`, which is `value` and not above `x`, to the last such value before `to`.
static bool walk_steps(const struct parts *parts, unsigned from, unsigned to, uint64_t value,
                       uint64_t x, unsigned *place, uint64_t *before)
{
    uint64_t steps[BLOCK_ANCHOR];
    unsigned count = to - from - 1;
    if (!numbers_read(&parts->numbers, from, count, steps))
        return false;
    unsigned passed = 0;
    *before = value;
    for (unsigned i = 0; i < count; i++) { // no branches depend on the comparison
        value += steps[i];
        passed += value <= x;
        *before = value <= x ? value : *before;
    }
    *place = from + 1 + passed;
    return true;
}

static bool search_any(const struct numbers *numbers, unsigned from, unsigned to, uint64_t x,
                       unsigned *place, uint64_t *before)
{
    while (from < to) {
        unsigned middle = (from + to) / 2;
        uint64_t value;
        if (!numbers_get(numbers, middle, &value))
            return false;
        if (value <= x) {
            from = middle + 1;
            *before = value;
        } else {
            to = middle;
        }
    }
    *place = from;
    return true;
}

static ALWAYS_INLINE bool is_packed_only(const struct numbers *numbers)
{
    return numbers->entry_count == 0 && numbers->patched.count == 0;
}

// The first of the runs [from, to) whose first value is above `x`, or `to`.
static bool search_firsts(const struct numbers *numbers, unsigned from, unsigned to, uint64_t x,
                          unsigned *run)
{
    if (is_packed_only(numbers)) {
        *run = x < numbers->base
                   ? from
                   : (unsigned)bitpack_search(numbers->packed, from, to, numbers->width,
                                              numbers->last, x - numbers->base);
        return true;
    }
    while (from < to) {
        unsigned middle = (from + to) / 2;
        uint64_t value;
        if (!numbers_get(numbers, middle, &value))
            return false;
        if (value <= x)
            from = middle + 1;
        else
            to = middle;
    }
    *run = from;
    return true;
}

static unsigned run_start(const struct parts *parts, unsigned run)
{
    return run ? bitset_select(&parts->runs, run - 1, parts->count) : 0;
}

bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place, uint64_t *before)
{
    struct parts parts;
    *place = from;
    if (!open_parts(block, &parts))
        return false;
    if (from >= to || x < block->min)
        return true;
    if (parts.shape == BLOCK_STEPS) {
        // After the last anchor in the range that is not above `x`, only the values up to the next
        // anchor need to be searched.
        unsigned next = (unsigned)bitpack_search(parts.anchors, from / BLOCK_ANCHOR + 1,
                                                 (to - 1) / BLOCK_ANCHOR + 1, parts.anchor_width,
                                                 parts.numbers.last, x - parts.min);
        unsigned start = (next - 1) * BLOCK_ANCHOR, end = next * BLOCK_ANCHOR;
        uint64_t value = get_anchor(&parts, next - 1);
        if (start < from) {
            start = from;
            if (!get_by_steps(&parts, from, &value))
                return false;
        }
        *place = start;
        return value > x || walk_steps(&parts, start, end < to ? end : to, value, x, place, before);
    }
    if (parts.shape == BLOCK_RUNS) {
        // Finds the last run that begins at or below `x`, and how far it goes.
        unsigned lowest = bitset_rank(&parts.runs, from),
                 end = bitset_rank(&parts.runs, to - 1) + 1;
        unsigned next, start = from;
        uint64_t first;
        if (lowest >= end || !search_firsts(&parts.numbers, lowest + 1, end, x, &next))
            return false;
        bool is_first = next - 1 == lowest; // it may begin before the range
        if (is_first ? !get_in_run(&parts, from, &first)
                     : !numbers_get(&parts.numbers, next - 1, &first))
            return false;
        *place = from;
        if (first > x)
            return true;
        if (!is_first)
            start = run_start(&parts, next - 1);
        unsigned run_end = next < end ? run_start(&parts, next) : to;
        uint64_t length = parts.stride ? (x - first) / parts.stride + 1 : UINT64_MAX;
        if (start < run_end && length < run_end - start)
            run_end = start + (unsigned)length;
        if (run_end > from)
            *place = run_end < to ? run_end : to;
        *before = first + parts.stride * (*place - 1 - start);
        return true;
    }
    if (!is_packed_only(&parts.numbers))
        return search_any(&parts.numbers, from, to, x, place, before);
    const struct numbers *numbers = &parts.numbers;
    *place = (unsigned)bitpack_search(numbers->packed, from, to, numbers->width, numbers->last,
                                      x - numbers->base);
    if (*place > from)
        *before =
            numbers->base + bitpack_get(numbers->packed, *place - 1, numbers->width, numbers->last);
    return true;
}
