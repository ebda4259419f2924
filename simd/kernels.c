#include "simd/kernels.h"

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
