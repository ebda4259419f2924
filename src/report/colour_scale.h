// Scales from numbers to colours, as in LLVM's XRay tools: between two colours, hue, saturation and
// value are interpolated. (The colours are ColorBrewer's OrRd and PiYG.)
#ifndef TRAWL_REPORT_COLOUR_SCALE_H
#define TRAWL_REPORT_COLOUR_SCALE_H

#include "base/base.h"

// "#7F0000" and a NUL.
#define COLOUR_TEXT_BYTES 8

// From white through orange to dark red: `share` from 0 to 1; values outside are clamped.
void colour_of_share(char text[COLOUR_TEXT_BYTES], double share);

// From violet for less (-1) through white for no change (0) to green for more (1).
void colour_of_change(char text[COLOUR_TEXT_BYTES], double change);

#endif
