#include "idx/numbers.h"

#include "idx/varint.h"

static bool take_width(struct cursor *cursor, unsigned *width)
{
    const uint8_t *at = cursor_take(cursor, 1);
    if (!at || (*at > 57 && *at != 64))
        return false;
    *width = *at;
    return true;
}

static bool open_dictionary(struct numbers *numbers, struct cursor *cursor)
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

static bool open_patches(struct numbers *numbers, struct cursor *cursor)
{
    uint64_t count;
    if (!varint_read(&cursor->at, cursor->end, &count) || count > numbers->count)
        return false;
    numbers->places = places_make(cursor->at, (unsigned)count, numbers->count, cursor->last);
    if (!cursor_take(cursor, places_bytes(&numbers->places)))
        return false;
    numbers->patches = cursor_take(cursor, bitpack_bytes((size_t)count, numbers->full_width));
    return numbers->patches;
}

bool numbers_open(struct numbers *numbers, struct cursor *cursor, unsigned form, unsigned count,
                  uint64_t min, unsigned full_width)
{
    *numbers = (struct numbers){
        .count = count,
        .width = full_width,
        .min = min,
        .base = min,
        .full_width = full_width,
        .last = cursor->last,
    };
    uint64_t above_min = 0;
    if (form & BLOCK_IS_DICTIONARY) {
        if (!open_dictionary(numbers, cursor))
            return false;
    } else if (form & BLOCK_IS_PATCHED) {
        if (!varint_read(&cursor->at, cursor->end, &above_min) ||
            !take_width(cursor, &numbers->width))
            return false;
        numbers->base += above_min;
    }
    if (form & BLOCK_IS_PATCHED && !open_patches(numbers, cursor))
        return false;
    numbers->packed = cursor_take(cursor, bitpack_bytes(count, numbers->width));
    return numbers->packed && cursor->at == cursor->end;
}

static uint64_t get_full(const struct numbers *numbers, const uint8_t *packed, unsigned i)
{
    return numbers->min + bitpack_get(packed, i, numbers->full_width, numbers->last);
}

bool numbers_get(const struct numbers *numbers, unsigned i, uint64_t *value)
{
    if (numbers->places.count) {
        unsigned before, rank = places_rank(&numbers->places, i, &before);
        if (rank && before == i) {
            *value = get_full(numbers, numbers->patches, rank - 1);
            return true;
        }
    }
    uint64_t offset = bitpack_get(numbers->packed, i, numbers->width, numbers->last);
    if (numbers->entry_count == 0) {
        *value = numbers->base + offset;
        return true;
    }
    if (offset >= numbers->entry_count)
        return false;
    *value = get_full(numbers, numbers->entries, (unsigned)offset);
    return true;
}

// Puts in place of each index what it stands for.
static bool look_up(const struct numbers *numbers, uint64_t *values, unsigned count)
{
    uint64_t table[BLOCK_DICTIONARY_MAX], greatest = 0;
    for (unsigned i = 0; i < count; i++)
        greatest = values[i] > greatest ? values[i] : greatest;
    if (greatest >= numbers->entry_count)
        return false;
    if (count < numbers->entry_count) {
        for (unsigned i = 0; i < count; i++)
            values[i] = get_full(numbers, numbers->entries, (unsigned)values[i]);
        return true;
    }
    bitpack_unpack(numbers->entries, 0, numbers->entry_count, numbers->full_width, numbers->last,
                   numbers->min, table);
    for (unsigned i = 0; i < count; i++)
        values[i] = table[values[i]];
    return true;
}

static bool patch(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out)
{
    uint16_t places[BLOCK_COUNT_MAX];
    if (!places_read(&numbers->places, numbers->count, places))
        return false;
    for (unsigned i = 0; i < numbers->places.count; i++) {
        if (places[i] - from < count)
            out[places[i] - from] = get_full(numbers, numbers->patches, i);
    }
    return true;
}

// A few numbers are patched from where the rank of the last of them leads to.
static bool patch_few(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out)
{
    unsigned end = from + count;
    while (end > from) {
        unsigned before, rank = places_rank(&numbers->places, end - 1, &before);
        if (rank == 0 || before < from)
            return true;
        if (before >= end)
            return false;
        out[before - from] = get_full(numbers, numbers->patches, rank - 1);
        end = before;
    }
    return true;
}

bool numbers_read(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out)
{
    bitpack_unpack(numbers->packed, (size_t)from * numbers->width, count, numbers->width,
                   numbers->last, numbers->entry_count ? 0 : numbers->base, out);
    if (numbers->entry_count && !look_up(numbers, out, count))
        return false;
    if (numbers->places.count == 0)
        return true;
    return (count > BLOCK_ANCHOR ? patch : patch_few)(numbers, from, count, out);
}
