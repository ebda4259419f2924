#include "simd/bitpack.h"
#include "test.h"

#include <stdlib.h>

enum { COUNT_MAX = 130 };

static uint64_t number(size_t i, unsigned width)
{
    uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return i % 5 == 0 ? bitpack_max(width) : (mixed ^ mixed >> 29) & bitpack_max(width);
}

static void widths_hold_their_numbers(void)
{
    CHECK(bitpack_width(0) == 0 && bitpack_width(1) == 1 && bitpack_width(255) == 8);
    CHECK(bitpack_width(bitpack_max(56)) == 56 && bitpack_width(bitpack_max(57)) == 64);
    CHECK(bitpack_width(UINT64_MAX) == 64 && bitpack_max(64) == UINT64_MAX && bitpack_max(0) == 0);
    CHECK(bitpack_bytes(0, 64) == 0 && bitpack_bytes(3, 3) == 2 && bitpack_bytes(8, 7) == 7);
}

// Packs into memory of exactly the size, after eight bytes, so that every load can start earlier.
static uint8_t *pack(const uint64_t *numbers, size_t count, unsigned width, uint64_t add)
{
    uint8_t room[8 + COUNT_MAX * 8 + BITPACK_SLACK_BYTES] = {0};
    uint8_t *end = bitpack_pack(room + 8, numbers, count, width, add);
    size_t bytes = (size_t)(end - room);
    CHECK(bytes == 8 + bitpack_bytes(count, width));
    uint8_t *copy = malloc(bytes);
    memcpy(copy, room, bytes);
    return copy;
}

static void check_packed(const uint64_t *numbers, size_t count, unsigned width, uint64_t add)
{
    uint64_t out[COUNT_MAX + 1];
    uint8_t *room = pack(numbers, count, width, add), *packed = room + 8;
    const uint8_t *last = packed + bitpack_bytes(count, width) - 8;
    for (size_t i = 0; i < count; i++)
        CHECK(bitpack_get(packed, i, width, last) == numbers[i] - add);
    for (size_t from = 0; from <= count; from += 1 + from / 3) {
        uint64_t sum = 0;
        out[count - from] = 0xabcdef;
        bitpack_unpack(packed, from * width, count - from, width, last, add, out);
        CHECK(memcmp(out, numbers + from, (count - from) * sizeof *out) == 0);
        CHECK(out[count - from] == 0xabcdef);
        for (size_t i = from; i < count; i++)
            sum += numbers[i] - add;
        CHECK(bitpack_sum(packed, from * width, count - from, width, last) == sum);
    }
    free(room);
}

static void numbers_of_every_width_and_count_come_back(void)
{
    for (unsigned width = 0; width <= 64; width += width == 56 ? 8 : 1) {
        for (size_t count = 0; count <= COUNT_MAX; count += 1 + count / 9) {
            uint64_t numbers[COUNT_MAX];
            for (size_t i = 0; i < count; i++)
                numbers[i] = number(i, width);
            check_packed(numbers, count, width, 0);
            for (size_t i = 0; i < count; i++)
                numbers[i] += UINT64_MAX - 5;
            check_packed(numbers, count, width, UINT64_MAX - 5);
        }
    }
}

static void searches_agree_with_a_walk(void)
{
    for (unsigned width = 1; width <= 20; width += 6) {
        uint64_t numbers[COUNT_MAX];
        for (size_t i = 0; i < COUNT_MAX; i++)
            numbers[i] = u64_min(bitpack_max(width), (i ? numbers[i - 1] : 0) + number(i, 2));
        uint8_t *room = pack(numbers, COUNT_MAX, width, 0);
        const uint8_t *last = room + bitpack_bytes(COUNT_MAX, width);
        for (size_t from = 0; from <= COUNT_MAX; from += 7) {
            for (size_t to = from; to <= COUNT_MAX; to += 1 + to / 9) {
                uint64_t x = numbers[(from + to) / 2 % COUNT_MAX] - (to & 1);
                size_t place = from;
                while (place < to && numbers[place] <= x)
                    place++;
                CHECK(bitpack_search(room + 8, from, to, width, last, x) == place);
            }
        }
        free(room);
    }
}

const struct test_case bitpack_tests[] = {
    {"widths_hold_their_numbers", widths_hold_their_numbers},
    {"numbers_of_every_width_and_count_come_back", numbers_of_every_width_and_count_come_back},
    {"searches_agree_with_a_walk", searches_agree_with_a_walk},
    {NULL, NULL},
};
