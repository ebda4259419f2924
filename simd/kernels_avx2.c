#include "simd/kernels.h"

#ifdef SIMD_X86
SIMD_AVX2_BEGIN
#define KERNELS kernels_avx2
#include "simd/kernels_body.inc"
SIMD_END
#endif
