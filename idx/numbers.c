#include "idx/block.h"

#include "idx/varint.h"

bool cursor_take_width(struct cursor *cursor, unsigned *width)
{
    const uint8_t *at = cursor_take(cursor, 1);
    if (!at || (*at > BITPACK_WIDTH_MAX && *at != 64))
        return false;
    *width = *at;
    return true;
}

// Each of these functions handles the less frequent blocks. They are separate so that the path of
// the frequent blocks needs no stack.
NEVER_INLINE static bool open_dictionary(struct numbers *numbers, struct cursor *cursor)
{
    uint64_t above_one;
    if (!varint_read(&cursor->at, cursor->end, &above_one) || above_one >= BLOCK_DICTIONARY_MAX)
        return false;
    numbers->entry_count = (unsigned)above_one + 1;
    numbers->width = bitpack_width(above_one);
    numbers->entries =
        cursor_take(cursor, bitpack_bytes(numbers->entry_count, numbers->full_width));
    return numbers->entries;
}

NEVER_INLINE static bool open_base(struct numbers *numbers, struct cursor *cursor)
{
    uint64_t above_min;
    if (!varint_read(&cursor->at, cursor->end, &above_min) ||
        !cursor_take_width(cursor, &numbers->width))
        return false;
    numbers->base += above_min;
    return true;
}

NEVER_INLINE static bool open_patches(struct numbers *numbers, struct cursor *cursor)
{
    uint64_t count;
    if (!varint_read(&cursor->at, cursor->end, &count) || count > numbers->count)
        return false;
    numbers->patched = bitset_make(cursor->at, (unsigned)count, numbers->count, cursor->last);
    if (!cursor_take(cursor, bitset_bytes(&numbers->patched)))
        return false;
    numbers->patches = cursor_take(cursor, bitpack_bytes((size_t)count, numbers->full_width));
    return numbers->patches;
}

bool numbers_open(struct numbers *numbers, struct cursor *cursor, unsigned form, unsigned count,
                  uint64_t min, unsigned full_width, uint64_t range)
{
    numbers->kernels = cursor->kernels;
    numbers->count = count;
    numbers->width = full_width;
    numbers->min = min;
    numbers->base = min;
    numbers->range = range;
    numbers->full_width = full_width;
    numbers->last = cursor->last;
    numbers->entry_count = 0;
    numbers->patched.count = 0;
    if (form & BLOCK_IS_DICTIONARY) {
        if (!open_dictionary(numbers, cursor))
            return false;
    } else if (form & BLOCK_IS_PATCHED) {
        if (!open_base(numbers, cursor))
            return false;
    }
    if (form & BLOCK_IS_PATCHED && !open_patches(numbers, cursor))
        return false;
    numbers->packed = cursor_take(cursor, bitpack_bytes(count, numbers->width));
    return numbers->packed && cursor->at == cursor->end;
}

uint64_t numbers_reach(const struct numbers *numbers)
{
    uint64_t full = bitpack_max(numbers->full_width), packed;
    if (numbers->entry_count)
        return full;
    if (__builtin_add_overflow(numbers->base - numbers->min, bitpack_max(numbers->width), &packed))
        return UINT64_MAX;
    return numbers->patched.count ? u64_max(packed, full) : packed;
}

static ALWAYS_INLINE uint64_t get_full(const struct numbers *numbers, const uint8_t *packed,
                                       unsigned i)
{
    return numbers->min + bitpack_get(packed, i, numbers->full_width, numbers->last);
}

// Number `i` unless it is patched.
static ALWAYS_INLINE bool get_packed(const struct numbers *numbers, unsigned i, uint64_t *value)
{
    uint64_t offset = bitpack_get(numbers->packed, i, numbers->width, numbers->last);
    *value = numbers->base + offset;
    if (numbers->entry_count == 0)
        return true;
    if (offset >= numbers->entry_count)
        return false;
    *value = get_full(numbers, numbers->entries, (unsigned)offset);
    return true;
}

bool numbers_get(const struct numbers *numbers, unsigned i, uint64_t *value)
{
    if (numbers->patched.count) {
        unsigned rank = bitset_rank(&numbers->patched, i);
        if (rank && bitset_before(&numbers->patched, i, rank) == i) {
            *value = get_full(numbers, numbers->patches, rank - 1);
            return true;
        }
    }
    return get_packed(numbers, i, value);
}

bool numbers_sum(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *sum)
{
    *sum = 0;
    if (count == 0)
        return true;
    if (numbers->entry_count == 0)
        *sum = numbers->base * count + bitpack_sum(numbers->packed, (size_t)from * numbers->width,
                                                   count, numbers->width, numbers->last);
    else {
        uint64_t index_mask = bitpack_max(numbers->width), mask = bitpack_max(numbers->full_width);
        const uint8_t *packed = numbers->packed, *entries = numbers->entries, *last = numbers->last;
        unsigned width = numbers->width, full_width = numbers->full_width;
        *sum = numbers->min * count;
        for (unsigned i = from; i < from + count; i++) {
            uint64_t index = bitpack_get_at(packed, i * width, index_mask, last);
            if (UNLIKELY(index >= numbers->entry_count))
                return false;
            *sum += bitpack_get_at(entries, index * full_width, mask, last);
        }
    }
    if (numbers->patched.count == 0)
        return true;
    // Adds the difference between each patch and the value packed in its place.
    uint16_t places[BLOCK_ANCHOR];
    unsigned first, patches = bitset_read(&numbers->patched, from, from + count, &first, places);
    if (patches == UINT_MAX)
        return false;
    for (unsigned i = 0; i < patches; i++) {
        uint64_t packed;
        if (!get_packed(numbers, places[i], &packed))
            return false;
        *sum += get_full(numbers, numbers->patches, first + i) - packed;
    }
    return true;
}

bool numbers_read(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out)
{
    if (count == 0)
        return true;
    numbers->kernels->unpack(numbers->packed, (size_t)from * numbers->width, count, numbers->width,
                             numbers->last, numbers->entry_count ? 0 : numbers->base, out);
    // Replaces each index by its entry. An index beyond the dictionary's end, which no writer
    // makes, is replaced by the least number here; get_packed rejects it.
    if (numbers->entry_count) {
        uint64_t table[BLOCK_DICTIONARY_MAX]; // no index is wider than eight bits
        numbers->kernels->unpack(numbers->entries, 0, numbers->entry_count, numbers->full_width,
                                 numbers->last, numbers->min, table);
        for (unsigned i = numbers->entry_count; i < 1u << numbers->width; i++)
            table[i] = numbers->min;
        for (unsigned i = 0; i < count; i++)
            out[i] = table[out[i]];
        if (bitpack_max(numbers->full_width) > numbers->range &&
            !are_numbers_within(numbers->kernels, table, numbers->entry_count, numbers->min,
                                numbers->range))
            return false;
    }
    if (numbers->patched.count) {
        uint16_t places[BLOCK_COUNT_MAX];
        unsigned first,
            patches = bitset_read(&numbers->patched, from, from + count, &first, places);
        if (patches == UINT_MAX)
            return false;
        for (unsigned i = 0; i < patches; i++) {
            uint64_t value = get_full(numbers, numbers->patches, first + i);
            if (value - numbers->min > numbers->range)
                return false;
            out[places[i] - from] = value;
        }
    }
    if (numbers->entry_count || numbers->range == UINT64_MAX)
        return true;
    return (count > WITHIN_FEW && numbers_reach(numbers) <= numbers->range) ||
           are_numbers_within(numbers->kernels, out, count, numbers->min, numbers->range);
}
