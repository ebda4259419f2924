#include "trace/tarmac/shaped_lines.h"

#include "trace/tarmac/keep_line.h"

#ifdef SIMD_ARM
#include <arm_neon.h>

#define SHAPED_LINES shaped_lines_neon
#include "simd/text_neon.inc"

#include "trace/tarmac/shaped_lines.inc"
#endif
