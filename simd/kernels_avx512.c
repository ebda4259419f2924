#include "simd/kernels.h"

#ifdef SIMD_X86
SIMD_AVX512_BEGIN
#define KERNELS kernels_avx512
#include "simd/kernels_body.inc"
SIMD_END
#endif
