#include "pipeline/shaped_lines.h"

#include "pipeline/keep_line.h"

#ifdef SIMD_ARM
#include <arm_neon.h>

#define SHAPED_LINES shaped_lines_neon
#include "simd/text_neon.inc"

#include "pipeline/shaped_lines.inc"
#endif
