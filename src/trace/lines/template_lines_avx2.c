#include "trace/lines/template_lines.h"

#include "trace/lines/record_line.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX2_BEGIN
#define SHAPED_LINES template_lines_avx2
#define TEXT_AVX2
#include "simd/text.inc"

#include "trace/lines/template_lines.inc"
SIMD_END
#endif
