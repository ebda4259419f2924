#include "trace/tarmac/shaped_lines.h"

#include "trace/tarmac/keep_line.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX512_BEGIN
#define SHAPED_LINES shaped_lines_avx512
#include "simd/text_avx512.inc"

#include "trace/tarmac/shaped_lines.inc"
SIMD_END
#endif
