// Percentiles found in several passes, and colours of scales.
#include "cmd/xray/sums.h"
#include "random.h"
#include "report/colour_scale.h"
#include "test.h"

#include <stdlib.h>

#define WORKERS 3
#define VALUES 200000
#define PASSES_MAX 8

static int compare_values(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

// Adds the values in one pass: value i belongs to worker i % WORKERS.
static void count_all(const struct latency_search *search, struct latency_counts *counts,
                      uint64_t key, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        latency_count(search, &counts[i % WORKERS], key, values[i]);
}

static unsigned search_all(struct latency_table *table, uint64_t key, const uint64_t *values,
                           size_t count)
{
    struct latency_search search;
    unsigned passes = 0;
    CHECK(latency_search_begin(&search, table));
    while (latency_search_wants_pass(&search) && passes < PASSES_MAX) {
        struct latency_counts counts[WORKERS];
        for (unsigned w = 0; w < WORKERS; w++)
            CHECK(latency_counts_begin(&counts[w], &search));
        count_all(&search, counts, key, values, count);
        CHECK(latency_search_narrow(&search, counts, WORKERS));
        for (unsigned w = 0; w < WORKERS; w++)
            latency_counts_free(&counts[w]);
        passes++;
    }
    latency_search_end(&search, table);
    return passes;
}

// Adds the values through tables of several workers. Returns the number of passes that the
// percentiles took.
static unsigned check_values(uint64_t *values, size_t count)
{
    enum { KEY = 77, OTHER = 5 };
    struct latency_table tables[WORKERS] = {0}, all = {0};
    for (size_t i = 0; i < count; i++)
        latency_add(&tables[i % WORKERS], KEY, values[i]);
    latency_add(&tables[WORKERS - 1], OTHER, 9);
    for (unsigned w = 0; w < WORKERS; w++)
        CHECK(latency_merge(&all, &tables[w]));
    CHECK(latency_sort(&all) && all.rows.count == 2 && all.rows.items[0].key == OTHER);
    unsigned passes = search_all(&all, KEY, values, count);
    qsort(values, count, sizeof *values, compare_values);
    const struct latency *row = latency_find(&all, KEY);
    CHECK(row && row->count == count && row->min == values[0] && row->max == values[count - 1]);
    CHECK(row && row->percentiles[LATENCY_MEDIAN] == values[count / 2] &&
          row->percentiles[LATENCY_P90] == values[count * 9 / 10] &&
          row->percentiles[LATENCY_P99] == values[count * 99 / 100]);
    CHECK(latency_find(&all, OTHER)->percentiles[LATENCY_P99] == 9);
    latency_table_free(&all);
    return passes;
}

// Adds rows with few values and rows with many to one row, in either order.
static void rows_are_included_in_others(void)
{
    enum { FEW = 100, MANY = 5000 };
    struct prng prng = {7};
    uint64_t values[2 * (FEW + MANY)];
    struct latency_table from = {0}, to = {0}, sums = {.has_sums_only = true};
    size_t count = 0;
    for (unsigned key = 0; key < 4; key++)
        for (size_t i = 0; i < (key % 2 ? FEW : MANY); i++) {
            values[count] = prng_next(&prng) >> 40;
            latency_add(&from, key, values[count++]);
        }
    for (size_t i = 0; i < from.rows.count; i++) {
        CHECK(latency_include(&to, 77, &from.rows.items[i]));
        CHECK(latency_include(&sums, 77, &from.rows.items[i]));
    }
    CHECK(latency_find(&from, 0)->count == MANY);
    search_all(&to, 77, values, count);
    qsort(values, count, sizeof *values, compare_values);
    const struct latency *row = latency_find(&to, 77), *sum = latency_find(&sums, 77);
    CHECK(row && row->count == count && row->min == values[0] && row->max == values[count - 1]);
    CHECK(row && row->percentiles[LATENCY_MEDIAN] == values[count / 2]);
    CHECK(row && sum && sum->count == count && sum->sum == row->sum && sum->max == row->max &&
          sum->min == row->min && !sum->store);
    latency_table_free(&from);
    latency_table_free(&to);
    latency_table_free(&sums);
}

static void percentiles_of_few_values_need_no_pass(void)
{
    struct prng prng = {1};
    uint64_t values[LATENCY_VALUES];
    for (size_t count = 1; count <= LATENCY_VALUES; count += 97) {
        for (size_t i = 0; i < count; i++)
            values[i] = prng_next(&prng);
        CHECK(check_values(values, count) == 0);
    }
}

static void percentiles_of_any_size_are_exact(void)
{
    struct prng prng = {2};
    uint64_t *values = malloc(VALUES * sizeof *values);
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        for (size_t i = 0; i < VALUES / 10; i++)
            values[i] = prng_next(&prng) >> (64 - bits) >> prng_next(&prng) % 3;
        check_values(values, VALUES / 10);
    }
    free(values);
}

static void crowded_bucket_is_narrowed_twice(void)
{
    struct prng prng = {3};
    uint64_t *values = malloc(VALUES * sizeof *values);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (UINT64_C(1) << 60) + (prng_next(&prng) >> 20);
    CHECK(check_values(values, VALUES) == 2);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (UINT64_C(1) << 60) + (prng_next(&prng) >> 60);
    CHECK(check_values(values, VALUES) <= 4);
    free(values);
}

static void scales_end_in_their_colours(void)
{
    char text[COLOUR_TEXT_BYTES];
    colour_of_share(text, 0);
    CHECK_STR(text, "#FFF7EC");
    colour_of_share(text, 1);
    CHECK_STR(text, "#7F0000");
    colour_of_change(text, -1);
    CHECK_STR(text, "#8E0152");
    colour_of_change(text, 7);
    CHECK_STR(text, "#276419");
    colour_of_change(text, (double)0);
    CHECK_STR(text, "#F7F7F7");
}

const struct test_case latency_tests[] = {
    {"percentiles of few values need no pass", percentiles_of_few_values_need_no_pass},
    {"percentiles of any size are exact", percentiles_of_any_size_are_exact},
    {"rows are included in others", rows_are_included_in_others},
    {"a crowded bucket is narrowed twice", crowded_bucket_is_narrowed_twice},
    {"scales end in their colours", scales_end_in_their_colours},
    {0},
};
