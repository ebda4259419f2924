// The loops over many numbers that are written, or at least compiled, for each instruction set.
// Each is defined by its scalar reference; results are bit-identical.
#ifndef TRAWL_SIMD_KERNELS_H
#define TRAWL_SIMD_KERNELS_H

#include "simd/bitpack.h"
#include "simd/needle.h"
#include "simd/numbers.h"
#include "simd/simd.h"
#include "simd/text.h"

struct kernels {
    // bitpack_pack.
    uint8_t *(*pack)(uint8_t *out, const uint64_t *values, size_t count, unsigned width,
                     uint64_t subtract);
    // bitpack_unpack.
    void (*unpack)(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out);
    // numbers_add_up.
    void (*add_up)(uint64_t *numbers, size_t count, uint64_t before);
    // numbers_extremes.
    struct extremes (*extremes)(const uint64_t *numbers, size_t count, uint64_t order);
    // numbers_steps.
    struct extremes (*steps)(const uint64_t *restrict numbers, size_t count,
                             uint64_t *restrict steps);
    // numbers_contain.
    bool (*contain)(const uint64_t *numbers, size_t count, uint64_t mask, uint64_t wanted);
    // numbers_within.
    bool (*within)(const uint64_t *numbers, size_t count, uint64_t min, uint64_t range);
    // needle_find.
    const char *(*find)(const char *from, const char *end, const struct text_needle *needle);
    // The functions of simd/text.h: for tests and measurements, as the loops over lines inline
    // them.
    uint64_t (*hex)(const char *text, size_t count);
    uint64_t (*decimal)(const char *text, size_t count);
    bool (*fits)(const struct text_pattern *pattern, const char *text);
    const char *(*newline)(const char *from, const char *end);
};

// The kernels for `simd`, which this machine must have.
const struct kernels *kernels_of(enum simd simd);

// Private to simd/ and its tests.
extern const struct kernels kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

#endif
