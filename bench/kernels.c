#include "bench/kernels.h"

#include "simd/kernels.h"

#include <stdlib.h>

struct bench_kernels {
    const struct kernels *kernels;
    unsigned width;
    uint64_t numbers[BENCH_KERNELS_COUNT], out[BENCH_KERNELS_COUNT];
    uint8_t packed[BENCH_KERNELS_COUNT * 8 + 64];
};

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
