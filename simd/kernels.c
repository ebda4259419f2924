#include "simd/kernels.h"

#include "simd/text.inc"

#define KERNELS kernels_scalar
#define UNPACK bitpack_unpack
#define ADD_UP numbers_add_up
#define FIND needle_find
#include "simd/kernels_body.inc"

const struct kernels *kernels_of(enum simd simd)
{
    switch (simd) {
#ifdef SIMD_X86
    case SIMD_AVX2:
        return &kernels_avx2;
    case SIMD_AVX512:
        return &kernels_avx512;
#elif defined(SIMD_ARM)
    case SIMD_NEON:
        return &kernels_neon;
#endif
    default:
        return &kernels_scalar;
    }
}
