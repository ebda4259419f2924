// Columns of any bytes: nothing is read outside of them, and no access loops. Payloads are also
// tried without the head of their column, because few random bytes pass its checks. Columns of any
// values can be read back.
//
// Input: a byte that selects one of these, then its bytes.
#include "fuzz.h"

#include "idx/block.h"
#include "idx/column.h"

enum { VALUES_MAX = 3000 };

// The instruction set that this machine uses; its results are compared with the scalar reference.
static enum simd simd_here(void)
{
    enum simd simd;
    CLAIM(simd_choose(&simd, NULL) == STATUS_OK);
    return simd;
}

static void use_column(const struct column *column)
{
    static uint64_t out[VALUES_MAX];
    uint64_t value, max, count = u64_min(column->count, VALUES_MAX);
    (void)column_read(column, 0, (size_t)count, out);
    (void)column_read(column, column->count - count, (size_t)count, out);
    for (uint64_t i = 0; i < count; i += 1 + i / 8) {
        (void)column_get(column, i, &value);
        (void)column_get(column, column->count - 1 - i, &value);
        (void)column_block_range(column, i, &value, &max);
        if (column_search(column, i, column->count, i * i, &value))
            CLAIM(value >= i && value <= column->count);
    }
}

static void open_bytes(const uint8_t *data, size_t size_bytes)
{
    char *copy = fuzz_copy(data, size_bytes);
    struct column column;
    if (column_open(&column, simd_here(), (const uint8_t *)copy, size_bytes, NULL) == STATUS_OK) {
        CLAIM(column.size_bytes <= size_bytes);
        use_column(&column);
        (void)column_verify(&column, NULL);
    }
    free(copy);
}

// The payload follows the head of its column, of which eight bytes are used here.
static void open_payload(const uint8_t *data, size_t size_bytes)
{
    uint64_t values[BLOCK_COUNT_MAX], numbers[2];
    if (size_bytes < 8 + 8 + 2 + 1)
        return;
    memcpy(numbers, data, sizeof numbers);
    unsigned count = 1 + (data[16] + data[17] * 256u) % BLOCK_COUNT_MAX;
    uint8_t *copy = (uint8_t *)fuzz_copy(data + 10, size_bytes - 10);
    struct block block = {.kernels = kernels_of(simd_here()),
                          .payload = copy + 8,
                          .end = copy + size_bytes - 10,
                          .count = count};
    block.last = block.end - 8;
    block.min = numbers[0] & numbers[1];
    block.max = numbers[0] | numbers[1];
    if (block_read(&block, 0, count, values)) {
        for (unsigned i = 0; i < count; i++)
            (void)block_get(&block, i, values + i);
    }
    for (unsigned from = 0; from < count; from += 1 + from / 2) {
        unsigned place;
        uint64_t before;
        if (block_search(&block, from, count, values[0] + from, &place, &before))
            CLAIM(place >= from && place <= count);
        (void)block_read(&block, from, (count - from) / 2, values);
        (void)block_get(&block, from, values);
    }
    free(copy);
}

// Typical values, made from the input and the previous value.
static size_t make_values(const uint8_t *data, size_t size_bytes, uint64_t *values)
{
    uint64_t value = 0;
    size_t count = 0;
    for (size_t i = 0; i + 1 < size_bytes; i += 2) {
        uint64_t argument = (uint64_t)data[i + 1] << data[i] % 57;
        for (unsigned repeat = 0; repeat <= data[i] / 8 && count < VALUES_MAX; repeat++) {
            value = data[i] & 1 ? value + argument : data[i] & 2 ? argument : value ^ argument;
            values[count++] = value;
        }
    }
    return count;
}

// The bytes must not depend on the instruction set.
static void claim_same_bytes(const struct bytes *expected, const uint64_t *values, size_t count)
{
    struct bytes bytes = {0};
    CLAIM(column_write(&bytes, simd_here(), values, count));
    CLAIM(bytes.count == expected->count && memcmp(bytes.items, expected->items, bytes.count) == 0);
    free(bytes.items);
}

static void write_and_read(const uint8_t *data, size_t size_bytes)
{
    static uint64_t values[VALUES_MAX], out[VALUES_MAX];
    size_t count = make_values(data, size_bytes, values);
    struct bytes bytes = {0};
    struct column column;
    CLAIM(column_write(&bytes, SIMD_SCALAR, values, count));
    claim_same_bytes(&bytes, values, count);
    char *copy = fuzz_copy(bytes.items, bytes.count);
    CLAIM(column_open(&column, simd_here(), (const uint8_t *)copy, bytes.count, NULL) == STATUS_OK);
    CLAIM(column_verify(&column, NULL) == STATUS_OK);
    CLAIM(column_read(&column, 0, count, out) && memcmp(out, values, count * 8) == 0);
    size_t rising = 1;
    while (rising < count && values[rising - 1] <= values[rising])
        rising++;
    for (size_t i = 0; i < count && i < rising; i += 1 + i / 4) {
        uint64_t place, before;
        CLAIM(column_find(&column, 0, rising, values[i], &place, &before) && place > i);
        CLAIM(values[place - 1] == values[i] && (place == rising || values[place] > values[i]));
        CLAIM(before == values[i]);
    }
    free(copy);
    free(bytes.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes == 0)
        return 0;
    switch (data[0] % 4) {
    case 0:
        open_bytes(data + 1, size_bytes - 1);
        break;
    case 1:
    case 2:
        open_payload(data + 1, size_bytes - 1);
        break;
    default:
        write_and_read(data + 1, size_bytes - 1);
    }
    return 0;
}
