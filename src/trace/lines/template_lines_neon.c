#include "trace/lines/template_lines.h"

#include "trace/lines/record_line.h"

#ifdef SIMD_ARM
#include <arm_neon.h>

#define SHAPED_LINES template_lines_neon
#define TEXT_NEON
#include "simd/text.inc"

#include "trace/lines/template_lines.inc"
#endif
