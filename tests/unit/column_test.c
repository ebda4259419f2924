// Columns return what was written to them, for every way of reading, and detect every flipped bit.
#include "idx/column.h"
#include "idx/varint.h"
#include "test.h"

#include <stdlib.h>

// --- Sequences -----------------------------------------------------------------------------------

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = (random_state ^ random_state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static uint64_t random_below(uint64_t bound)
{
    return random_bits() % bound;
}

// A sequence of some kind: computes value i from value i - 1.
typedef uint64_t make(size_t i, uint64_t before);

static uint64_t constant(size_t i, uint64_t before)
{
    (void)i, (void)before;
    return 0xfeedface12345678;
}

static uint64_t random_64(size_t i, uint64_t before)
{
    (void)i, (void)before;
    return random_bits();
}

static uint64_t random_width(size_t i, uint64_t before)
{
    (void)before;
    return random_bits() >> (i / 1024 * 3 % 64);
}

static uint64_t few(size_t i, uint64_t before)
{
    (void)i, (void)before;
    return random_below(9) * UINT64_C(0x1111111111111111);
}

static uint64_t runs(size_t i, uint64_t before)
{
    return i == 0 || random_below(40) == 0 ? random_bits() >> 20 : before;
}

static uint64_t program_counters(size_t i, uint64_t before)
{
    return i == 0 || random_below(7) == 0 ? 0x80000 + 4 * random_below(300) : before + 4;
}

static uint64_t outliers(size_t i, uint64_t before)
{
    (void)i, (void)before;
    return random_below(50) ? 1000 + random_below(16) : random_bits();
}

static uint64_t small_steps(size_t i, uint64_t before)
{
    return i == 0 ? UINT64_C(1) << 40 : before + random_below(90);
}

static uint64_t steps_with_outliers(size_t i, uint64_t before)
{
    return before + (random_below(30) || i == 0 ? 60 + random_below(3) : random_below(1 << 20));
}

static uint64_t steps_past_the_end(size_t i, uint64_t before)
{
    return i == 0 ? UINT64_MAX - 20000 : before + random_below(90); // wraps around once
}

static uint64_t stride_past_the_end(size_t i, uint64_t before)
{
    return i == 0 ? UINT64_MAX - 2000 : before + 5;
}

static uint64_t steps_both_ways(size_t i, uint64_t before)
{
    return i == 0 ? 5000 : before + random_below(30) - 15; // sometimes wraps around 0
}

static uint64_t downwards(size_t i, uint64_t before)
{
    return i == 0 ? UINT64_MAX : before - 7 - random_below(2);
}

static uint64_t extremes(size_t i, uint64_t before)
{
    (void)before;
    return i % 3 == 0 ? 0 : i % 3 == 1 ? UINT64_MAX : UINT64_C(1) << 63;
}

static uint64_t sparse(size_t i, uint64_t before)
{
    return i == 0 ? 0 : before + (random_below(3) ? 1 : random_below(1 << 12));
}

static uint64_t one_change(size_t i, uint64_t before)
{
    (void)before;
    return i >= 700;
}

static uint64_t steps_of_few_kinds(size_t i, uint64_t before)
{
    static const uint8_t steps[] = {62, 95, 201, 100, 119, 156, 13};
    return i == 0 ? 1 << 30 : before + steps[random_below(sizeof steps)];
}

static uint64_t steps_of_few_kinds_mostly(size_t i, uint64_t before)
{
    return random_below(40) ? steps_of_few_kinds(i, before) : before + random_below(1 << 20);
}

static uint64_t few_mostly(size_t i, uint64_t before)
{
    return random_below(40) ? few(i, before) : random_bits();
}

static uint64_t runs_of_few(size_t i, uint64_t before)
{
    return i == 0 || random_below(5) == 0 ? few(i, before) : before;
}

static uint64_t runs_of_few_mostly(size_t i, uint64_t before)
{
    if (i && random_below(5))
        return before;
    return random_below(10) ? random_below(4) << 40 : random_bits();
}

static uint64_t runs_with_outliers(size_t i, uint64_t before)
{
    return i == 0 || random_below(5) == 0 ? random_below(30) ? random_below(500) : random_bits()
                                          : before;
}

static make *const makers[] = {
    constant,
    random_64,
    random_width,
    few,
    few_mostly,
    outliers,
    runs,
    runs_of_few,
    runs_of_few_mostly,
    runs_with_outliers,
    program_counters,
    small_steps,
    steps_of_few_kinds,
    steps_of_few_kinds_mostly,
    steps_with_outliers,
    steps_both_ways,
    steps_past_the_end,
    stride_past_the_end,
    downwards,
    extremes,
    sparse,
    one_change,
};

static make *const rising[] = {
    constant, small_steps, steps_of_few_kinds, steps_of_few_kinds_mostly, steps_with_outliers,
    sparse,   one_change,
};

static void fill(uint64_t *values, size_t count, make *next)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = value = next(i, value);
}

static const size_t lengths[] = {0,    1,    2,    3,    8,    9,    31,   32,   63,   64,
                                 65,   127,  128,  129,  191,  255,  256,  257,  640,  1022,
                                 1023, 1024, 1025, 1151, 1152, 1153, 2047, 2048, 2049, 5000};

enum { LENGTH_MAX = 5000, WORDS_MAX = 1 };

// The instruction set that this machine uses; its results are compared with the scalar reference.
static enum simd simd_here(void)
{
    enum simd simd;
    CHECK(simd_choose(&simd, NULL) == STATUS_OK);
    return simd;
}

// --- Reading back --------------------------------------------------------------------------------

static void check_same_bytes(const struct bytes *expected, enum simd simd, const uint64_t *values,
                             size_t count)
{
    struct bytes out = {0};
    if (!simd_is_here(simd))
        return;
    CHECK(column_write(&out, simd, values, count));
    CHECK(out.count == expected->count && memcmp(out.items, expected->items, out.count) == 0);
    free(out.items);
}

// The column of `values`, in memory of exactly its size, so that a sanitizer detects reads after
// it.
static uint8_t *write_column(const uint64_t *values, size_t count, size_t *size_bytes)
{
    struct bytes out = {0};
    CHECK(column_write(&out, SIMD_SCALAR, values, count));
    for (enum simd simd = SIMD_SCALAR + 1; simd < SIMD_COUNT; simd++)
        check_same_bytes(&out, simd, values, count);
    uint8_t *copy = malloc(out.count);
    memcpy(copy, out.items, out.count);
    *size_bytes = out.count;
    free(out.items);
    return copy;
}

static void check_gets(const struct column *column, const uint64_t *values)
{
    uint64_t value;
    for (uint64_t i = 0; i < column->count; i++)
        CHECK(column_get(column, i, &value) && value == values[i]);
    CHECK(!column_get(column, column->count, &value));
    CHECK(!column_get(column, UINT64_MAX, &value));
}

static void check_reads(const struct column *column, const uint64_t *values)
{
    static uint64_t out[LENGTH_MAX + 1];
    CHECK(column_read(column, 0, (size_t)column->count, out));
    CHECK(memcmp(out, values, (size_t)column->count * 8) == 0);
    for (int round = 0; round < 50; round++) {
        uint64_t from = random_below(column->count + 1);
        size_t count = (size_t)random_below(column->count - from + 1);
        out[count] = 0xabcdef;
        CHECK(column_read(column, from, count, out));
        CHECK(memcmp(out, values + from, count * 8) == 0 && out[count] == 0xabcdef);
    }
    CHECK(!column_read(column, 0, (size_t)column->count + 1, out));
    CHECK(!column_read(column, column->count + 1, 0, out));
    CHECK(!column_read(column, 1, SIZE_MAX, out));
}

static void check_ranges(const struct column *column, const uint64_t *values)
{
    uint64_t min, max;
    CHECK(!column_block_range(column, column->block_count, &min, &max));
    for (uint64_t b = 0; b < column->block_count; b++) {
        uint64_t least = UINT64_MAX, greatest = 0;
        for (uint64_t i = b * 1024; i < u64_min(column->count, b * 1024 + 1024); i++) {
            least = u64_min(least, values[i]);
            greatest = u64_max(greatest, values[i]);
        }
        CHECK(column_block_range(column, b, &min, &max) && min == least && max == greatest);
    }
}

static void sequences_of_every_length_come_back(void)
{
    static uint64_t values[LENGTH_MAX];
    for (size_t m = 0; m < ARRAY_COUNT(makers); m++) {
        for (size_t k = 0; k < ARRAY_COUNT(lengths); k++) {
            fill(values, lengths[k], makers[m]);
            size_t size_bytes;
            uint8_t *bytes = write_column(values, lengths[k], &size_bytes);
            struct column column;
            uint64_t verified[WORDS_MAX] = {0};
            CHECK(column_open(&column, simd_here(), bytes, size_bytes, NULL) == STATUS_OK);
            CHECK(column.size_bytes == size_bytes && column.count == lengths[k]);
            CHECK(column_verified_words(&column) <= WORDS_MAX);
            CHECK(column_verify(&column, NULL) == STATUS_OK);
            column.verified = k % 2 ? verified : NULL;
            check_gets(&column, values);
            check_reads(&column, values);
            check_ranges(&column, values);
            free(bytes);
        }
    }
}

static uint64_t place_above(const uint64_t *values, uint64_t from, uint64_t to, uint64_t x)
{
    while (from < to && values[from] <= x)
        from++;
    return from;
}

static void check_search(const struct column *column, const uint64_t *values, uint64_t from,
                         uint64_t to, uint64_t x)
{
    uint64_t place, before;
    CHECK(column_find(column, from, to, x, &place, &before));
    CHECK(place == place_above(values, from, to, x));
    CHECK(place == from || before == values[place - 1]);
}

static void searches_find_what_a_walk_finds(void)
{
    static uint64_t values[LENGTH_MAX];
    for (size_t m = 0; m < ARRAY_COUNT(rising); m++) {
        for (size_t k = 1; k < ARRAY_COUNT(lengths); k++) {
            size_t count = lengths[k], size_bytes;
            fill(values, count, rising[m]);
            uint8_t *bytes = write_column(values, count, &size_bytes);
            struct column column;
            CHECK(column_open(&column, simd_here(), bytes, size_bytes, NULL) == STATUS_OK);
            for (int round = 0; round < 200; round++) {
                uint64_t from = random_below(count + 1), to = from + random_below(count - from + 1);
                if (round % 4 == 0)
                    from = 0, to = count;
                uint64_t near = values[random_below(count)];
                check_search(&column, values, from, to, near + random_below(3) - 1);
                check_search(&column, values, from, to, random_bits() >> random_below(64));
            }
            check_search(&column, values, 0, count, 0);
            check_search(&column, values, 0, count, UINT64_MAX);
            uint64_t place;
            CHECK(!column_search(&column, 0, count + 1, 0, &place));
            CHECK(!column_search(&column, 1, 0, 0, &place));
            free(bytes);
        }
    }
}

// Values that ascend inside each part of the column, like those of one memory word, but descend
// between parts.
static void searches_stay_in_their_part(void)
{
    static uint64_t values[LENGTH_MAX];
    for (int round = 0; round < 60; round++) {
        uint64_t starts[40], parts = 0, value = 0;
        for (size_t i = 0; i < LENGTH_MAX; i++) {
            if (i == 0 || (parts < ARRAY_COUNT(starts) && random_below(150) == 0)) {
                starts[parts++] = i;
                value = random_below(100);
            }
            values[i] = value += random_below(1 + (uint64_t)round);
        }
        size_t size_bytes;
        uint8_t *bytes = write_column(values, LENGTH_MAX, &size_bytes);
        struct column column;
        CHECK(column_open(&column, simd_here(), bytes, size_bytes, NULL) == STATUS_OK);
        for (uint64_t p = 0; p < parts; p++) {
            uint64_t to = p + 1 < parts ? starts[p + 1] : LENGTH_MAX;
            for (int x = 0; x < 20; x++)
                check_search(&column, values, starts[p], to, random_below(value + 100));
        }
        free(bytes);
    }
}

static void every_form_is_the_smallest_for_something(void)
{
    static uint64_t values[LENGTH_MAX];
    unsigned seen = 0;
    for (size_t m = 0; m < ARRAY_COUNT(makers); m++) {
        fill(values, 1024, makers[m]);
        size_t size_bytes;
        uint8_t *bytes = write_column(values, 1024, &size_bytes);
        struct column column;
        CHECK(column_open(&column, simd_here(), bytes, size_bytes, NULL) == STATUS_OK);
        if (column.payloads < column.end)
            seen |= 1u << column.payloads[0];
        free(bytes);
    }
    // Plain, runs and steps; each as offsets and from a dictionary; each of these also patched.
    CHECK(seen == 0x7777);
}

// --- Small and many ------------------------------------------------------------------------------

static void columns_stand_behind_each_other(void)
{
    uint64_t values[100];
    struct bytes out = {0};
    size_t ends[40];
    for (size_t k = 0; k < ARRAY_COUNT(ends); k++) {
        fill(values, 2 * k, makers[k % ARRAY_COUNT(makers)]);
        CHECK(column_write(&out, SIMD_SCALAR, values, 2 * k));
        ends[k] = out.count;
    }
    for (size_t k = 0; k < ARRAY_COUNT(ends); k++) {
        size_t start = k ? ends[k - 1] : 0;
        struct column column;
        CHECK(column_open(&column, simd_here(), out.items + start, out.count - start, NULL) ==
              STATUS_OK);
        CHECK(column.size_bytes == ends[k] - start && column.count == 2 * k);
    }
    free(out.items);
}

static void equal_values_cost_no_more_than_a_head(void)
{
    static uint64_t values[LENGTH_MAX];
    fill(values, LENGTH_MAX, constant);
    size_t size_bytes;
    free(write_column(values, LENGTH_MAX, &size_bytes));
    CHECK(size_bytes <= 20);
}

// --- Damage --------------------------------------------------------------------------------------

// Reads everything into memory of exactly the size, and ignores the result.
static void read_all(struct column *column)
{
    static uint64_t out[LENGTH_MAX];
    uint64_t value, count = u64_min(column->count, LENGTH_MAX);
    (void)column_read(column, 0, (size_t)count, out);
    for (uint64_t i = 0; i < count; i += 37)
        (void)column_get(column, i, &value);
    (void)column_get(column, column->count - 1, &value);
    (void)column_search(column, 0, column->count, 1000, &value);
    (void)column_search(column, column->count / 3, column->count, UINT64_MAX / 2, &value);
}

static void every_flipped_bit_is_found(void)
{
    static uint64_t values[LENGTH_MAX];
    static const size_t some[] = {0, 1, 2, 5, 33, 64, 130, 1024, 1100};
    for (size_t m = 0; m < ARRAY_COUNT(makers); m++) {
        for (size_t k = 0; k < ARRAY_COUNT(some); k++) {
            fill(values, some[k], makers[m]);
            size_t size_bytes;
            uint8_t *bytes = write_column(values, some[k], &size_bytes);
            size_t step = size_bytes > 400 ? 37 : 1;
            for (size_t bit = 0; bit < 8 * size_bytes; bit += step) {
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                struct column column;
                if (column_open(&column, simd_here(), bytes, size_bytes, NULL) == STATUS_OK) {
                    CHECK(column_verify(&column, NULL) == STATUS_DAMAGED);
                    read_all(&column);
                }
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            free(bytes);
        }
    }
}

static void cut_columns_are_refused(void)
{
    uint64_t values[300];
    fill(values, ARRAY_COUNT(values), small_steps);
    size_t size_bytes;
    uint8_t *bytes = write_column(values, ARRAY_COUNT(values), &size_bytes);
    for (size_t cut = 0; cut < size_bytes; cut++) {
        uint8_t *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        struct column column;
        struct error err;
        CHECK(column_open(&column, simd_here(), part, cut, &err) == STATUS_DAMAGED);
        CHECK(err.text[0]);
        free(part);
    }
    free(bytes);
}

// A head without directory and payloads. Returns whether it is accepted as a column.
static bool open_head(struct column *column, uint8_t bytes[COLUMN_HEAD_BYTES_MAX], unsigned widths,
                      unsigned flags, uint64_t count, uint64_t payload_bytes)
{
    uint8_t *at = bytes + COLUMN_CHECK_BYTES;
    *at++ = (uint8_t)widths;
    *at++ = (uint8_t)flags;
    at = varint_write(at, count);
    at = varint_write(at, payload_bytes);
    at = varint_write(at, 77);
    size_t checked = (size_t)(at - bytes) - COLUMN_CHECK_BYTES;
    uint32_t check = column_check(bytes + COLUMN_CHECK_BYTES, checked);
    for (unsigned i = 0; i < COLUMN_CHECK_BYTES; i++)
        bytes[i] = (uint8_t)(check >> 8 * i);
    return column_open(column, simd_here(), bytes, (size_t)(at - bytes), NULL) == STATUS_OK;
}

static void claims_cost_nothing(void)
{
    enum { IS_SHORT = 16 };
    uint8_t bytes[COLUMN_HEAD_BYTES_MAX];
    struct column column;
    uint64_t value, place;
    CHECK(open_head(&column, bytes, 0, IS_SHORT, COLUMN_COUNT_MAX, 0));
    CHECK(column_verified_words(&column) == 0);
    CHECK(column_verify(&column, NULL) == STATUS_OK);
    CHECK(column_get(&column, COLUMN_COUNT_MAX - 1, &value) && value == 77);
    CHECK(column_search(&column, 5, COLUMN_COUNT_MAX, 76, &place) && place == 5);
    CHECK(column_search(&column, 5, COLUMN_COUNT_MAX, 77, &place) && place == COLUMN_COUNT_MAX);
    CHECK(!open_head(&column, bytes, 0, IS_SHORT, COLUMN_COUNT_MAX + 1, 0));
    CHECK(!open_head(&column, bytes, 0, IS_SHORT, UINT64_MAX, 0));
    CHECK(!open_head(&column, bytes, 0, 0, COLUMN_COUNT_MAX, 0)); // checksums of all blocks
    CHECK(!open_head(&column, bytes, 0x18, IS_SHORT, COLUMN_COUNT_MAX, 0));
    CHECK(!open_head(&column, bytes, 0, IS_SHORT, 1, 1));
    CHECK(!open_head(&column, bytes, 0x10, IS_SHORT, 1, UINT64_MAX));
    CHECK(!open_head(&column, bytes, 0x09, IS_SHORT, 0, 0)); // widths above eight bytes
    CHECK(!open_head(&column, bytes, 0x90, IS_SHORT, 0, 0));
    CHECK(!open_head(&column, bytes, 0, IS_SHORT | 9, 0, 0));
    CHECK(!open_head(&column, bytes, 0, IS_SHORT | 32, 0, 0)); // an unknown flag
}

const struct test_case column_tests[] = {
    {"sequences_of_every_length_come_back", sequences_of_every_length_come_back},
    {"searches_find_what_a_walk_finds", searches_find_what_a_walk_finds},
    {"searches_stay_in_their_part", searches_stay_in_their_part},
    {"every_form_is_the_smallest_for_something", every_form_is_the_smallest_for_something},
    {"columns_stand_behind_each_other", columns_stand_behind_each_other},
    {"equal_values_cost_no_more_than_a_head", equal_values_cost_no_more_than_a_head},
    {"every_flipped_bit_is_found", every_flipped_bit_is_found},
    {"cut_columns_are_refused", cut_columns_are_refused},
    {"claims_cost_nothing", claims_cost_nothing},
    {NULL, NULL},
};
