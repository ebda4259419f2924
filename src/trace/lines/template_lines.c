#include "trace/lines/template_lines.h"

#include "trace/lines/record_line.h"

#define SHAPED_LINES template_lines_scalar
#include "simd/text.inc"

#include "trace/lines/template_lines.inc"

template_lines_function *template_lines_of(enum simd simd)
{
#ifdef SIMD_X86
    if (simd == SIMD_AVX512)
        return template_lines_avx512;
    if (simd == SIMD_AVX2)
        return template_lines_avx2;
#elif defined(SIMD_ARM)
    if (simd == SIMD_NEON)
        return template_lines_neon;
#endif
    (void)simd;
    return template_lines_scalar;
}
