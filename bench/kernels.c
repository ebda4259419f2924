#include "bench/kernels.h"

#include "simd/kernels.h"

#include <stdlib.h>

struct bench_kernels {
    const struct kernels *kernels;
    unsigned width;
    uint64_t numbers[BENCH_KERNELS_COUNT], out[BENCH_KERNELS_COUNT];
    uint8_t packed[BENCH_KERNELS_COUNT * 8 + 64];
    struct text_pattern pattern; // of the line
    char lines[BENCH_KERNELS_COUNT * 64 + TEXT_COLUMNS];
};

// A line of usual length, with the time at 0 and the address at 25.
static const char line[] = "1234567890 clk IT (8044) 0000000000080794 1100052a O EL1h_s : A\n";

_Static_assert(sizeof line == 64 + 1, "as struct bench_kernels has room for");

static void fill_lines(struct bench_kernels *kernels)
{
    text_pattern_init(&kernels->pattern, sizeof line - 1);
    for (size_t i = 0; i < sizeof line - 1; i++)
        text_pattern_set(&kernels->pattern, i, (uint8_t)line[i], 0, false);
    for (size_t i = 0; i < 16; i++)
        text_pattern_set(&kernels->pattern, 25 + i, '0', 9, true);
    for (size_t i = 0; i + sizeof line <= sizeof kernels->lines; i += sizeof line - 1)
        memcpy(kernels->lines + i, line, sizeof line);
}

const char *bench_kernels_simd_name(int simd)
{
    return simd < SIMD_COUNT ? simd_name((enum simd)simd) : NULL;
}

struct bench_kernels *bench_kernels_open(int simd, unsigned width)
{
    if (!simd_is_here((enum simd)simd))
        return NULL;
    struct bench_kernels *kernels = calloc(1, sizeof *kernels);
    ASSERT(kernels);
    kernels->kernels = kernels_of((enum simd)simd);
    kernels->width = width;
    uint64_t state = 1;
    for (size_t i = 0; i < BENCH_KERNELS_COUNT; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        kernels->numbers[i] = (state ^ state >> 31) & bitpack_max(width);
    }
    bench_kernels_pack(kernels);
    fill_lines(kernels);
    return kernels;
}

void bench_kernels_close(struct bench_kernels *kernels)
{
    free(kernels);
}

uint64_t bench_kernels_pack(struct bench_kernels *kernels)
{
    uint8_t *end = kernels->kernels->pack(kernels->packed, kernels->numbers, BENCH_KERNELS_COUNT,
                                          kernels->width, 0);
    return end[-1];
}

uint64_t bench_kernels_unpack(struct bench_kernels *kernels)
{
    const uint8_t *last = kernels->packed + sizeof kernels->packed - 8;
    kernels->kernels->unpack(kernels->packed, 0, BENCH_KERNELS_COUNT, kernels->width, last, 7,
                             kernels->out);
    return kernels->out[BENCH_KERNELS_COUNT - 1];
}

uint64_t bench_kernels_add_up(struct bench_kernels *kernels)
{
    kernels->kernels->add_up(kernels->out, BENCH_KERNELS_COUNT, 7);
    return kernels->out[BENCH_KERNELS_COUNT - 1];
}

uint64_t bench_kernels_extremes(struct bench_kernels *kernels)
{
    struct extremes found = kernels->kernels->extremes(kernels->numbers, BENCH_KERNELS_COUNT, 0);
    return found.max - found.min;
}

uint64_t bench_kernels_contain(struct bench_kernels *kernels)
{
    return kernels->kernels->contain(kernels->numbers, BENCH_KERNELS_COUNT, UINT64_MAX, 1);
}

// Evaluates an expression for each line; they are in the second-level cache.
#define EACH_LINE(expression)                                                                      \
    uint64_t sum = 0;                                                                              \
    const char *at = kernels->lines;                                                               \
    for (size_t i = 0; i < BENCH_KERNELS_COUNT; i++, at += sizeof line - 1)                        \
        sum += (uint64_t)(expression);                                                             \
    return sum

uint64_t bench_kernels_hex(struct bench_kernels *kernels)
{
    EACH_LINE(kernels->kernels->hex(at + 25, 16));
}

uint64_t bench_kernels_decimal(struct bench_kernels *kernels)
{
    EACH_LINE(kernels->kernels->decimal(at, 10));
}

uint64_t bench_kernels_fits(struct bench_kernels *kernels)
{
    EACH_LINE(kernels->kernels->fits(&kernels->pattern, at));
}

uint64_t bench_kernels_newline(struct bench_kernels *kernels)
{
    EACH_LINE(kernels->kernels->newline(at, at + TEXT_COLUMNS) - at);
}
