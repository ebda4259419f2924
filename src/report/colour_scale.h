// Scales from numbers to colours, as LLVM's XRay tools have them: between two colours of a scale it
// goes by way of hue, saturation and value. (The colours are ColorBrewer's OrRd and PiYG.)
#ifndef TRAWL_REPORT_COLOUR_SCALE_H
#define TRAWL_REPORT_COLOUR_SCALE_H

#include "base/base.h"

// "#7F0000" and a NUL.
#define COLOUR_TEXT_BYTES 8

// From white by way of orange to dark red: `share` from 0 to 1; what lies outside is taken for the
// end.
void colour_of_share(char text[COLOUR_TEXT_BYTES], double share);

// From violet for less (-1) by way of white for the same (0) to green for more (1).
void colour_of_change(char text[COLOUR_TEXT_BYTES], double change);

#endif
