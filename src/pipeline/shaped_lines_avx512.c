#include "pipeline/shaped_lines.h"

#include "pipeline/keep_line.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX512_BEGIN
#define SHAPED_LINES shaped_lines_avx512
#include "simd/text_avx512.inc"

#include "pipeline/shaped_lines.inc"
SIMD_END
#endif
