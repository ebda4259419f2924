#include "bench/columns.h"

#include "idx/column.h"

#include <stdlib.h>

struct bench_column {
    struct bytes bytes;
    struct column column;
    enum simd simd;
    size_t count;
    const uint64_t *values; // the caller's
    uint64_t *verified, *out;
    uint64_t *order; // the places of all values, shuffled
};

static void mix_order(struct bench_column *column)
{
    uint64_t state = 1;
    for (size_t i = 0; i < column->count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t other = (size_t)((state >> 33) % (i + 1));
        column->order[i] = column->order[other];
        column->order[other] = i;
    }
}

struct bench_column *bench_column_open(const uint64_t *values, size_t count)
{
    struct bench_column *column = calloc(1, sizeof *column);
    ASSERT(column);
    ASSERT(simd_choose(&column->simd, NULL) == STATUS_OK);
    column->values = values;
    column->count = count;
    ASSERT(column_write(&column->bytes, column->simd, values, count));
    ASSERT(column_open(&column->column, column->simd, column->bytes.items, column->bytes.count,
                       NULL) == STATUS_OK);
    column->verified = calloc((size_t)column_verified_words(&column->column), 8);
    column->out = calloc(count, 8);
    column->order = calloc(count, 8);
    ASSERT(column->verified && column->out && column->order);
    column->column.verified = column->verified;
    mix_order(column);
    return column;
}

void bench_column_close(struct bench_column *column)
{
    free(column->bytes.items);
    free(column->verified);
    free(column->out);
    free(column->order);
    free(column);
}

size_t bench_column_bytes(const struct bench_column *column)
{
    return column->bytes.count;
}

// The same bytes as before, where they were.
uint64_t bench_column_write(struct bench_column *column)
{
    column->bytes.count = 0;
    ASSERT(column_write(&column->bytes, column->simd, column->values, column->count));
    return column->bytes.count;
}

uint64_t bench_column_read(struct bench_column *column)
{
    ASSERT(column_read(&column->column, 0, column->count, column->out));
    return column->out[column->count - 1];
}

uint64_t bench_column_get(const struct bench_column *column)
{
    uint64_t sum = 0, value;
    for (size_t i = 0; i < column->count; i++) {
        ASSERT(column_get(&column->column, column->order[i], &value));
        sum += value;
    }
    return sum;
}

uint64_t bench_column_search(const struct bench_column *column)
{
    uint64_t sum = 0, place;
    for (size_t i = 0; i < column->count; i++) {
        uint64_t x = column->values[column->order[i]];
        ASSERT(column_search(&column->column, 0, column->count, x, &place));
        sum += place;
    }
    return sum;
}
