// The loops over many numbers that are written, or at least compiled, for each instruction set.
// What each does is said by the scalar reference, in the header that is named; results are the
// same to the bit.
#ifndef TRAWL_SIMD_KERNELS_H
#define TRAWL_SIMD_KERNELS_H

#include "simd/bitpack.h"
#include "simd/extremes.h"
#include "simd/simd.h"

struct kernels {
    // bitpack_pack.
    uint8_t *(*pack)(uint8_t *out, const uint64_t *values, size_t count, unsigned width,
                     uint64_t subtract);
    // extremes_find.
    struct extremes (*extremes)(const uint64_t *numbers, size_t count, uint64_t order);
};

// Those for `simd`, which this machine has.
const struct kernels *kernels_of(enum simd simd);

// Private to simd/.
extern const struct kernels kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

#endif
