#include "trace/tarmac/shaped_lines.h"

#include "trace/tarmac/keep_line.h"

#define SHAPED_LINES shaped_lines_scalar
#include "simd/text_scalar.inc"

#include "trace/tarmac/shaped_lines.inc"

shaped_lines_function *shaped_lines_of(enum simd simd)
{
#ifdef SIMD_X86
    if (simd == SIMD_AVX512)
        return shaped_lines_avx512;
    if (simd == SIMD_AVX2)
        return shaped_lines_avx2;
#elif defined(SIMD_ARM)
    if (simd == SIMD_NEON)
        return shaped_lines_neon;
#endif
    (void)simd;
    return shaped_lines_scalar;
}
