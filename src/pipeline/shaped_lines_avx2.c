#include "pipeline/shaped_lines.h"

#include "pipeline/keep_line.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX2_BEGIN
#define SHAPED_LINES shaped_lines_avx2
#include "simd/text_avx2.inc"

#include "pipeline/shaped_lines.inc"
SIMD_END
#endif
