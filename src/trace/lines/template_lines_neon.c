#include "trace/lines/template_lines.h"

#include "trace/lines/record_line.h"

#ifdef SIMD_ARM
#include <arm_neon.h>

#define SHAPED_LINES template_lines_neon
#include "simd/text_neon.inc"

#include "trace/lines/template_lines.inc"
#endif
