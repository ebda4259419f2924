// The style sheet and the script of a flame graph: the unchanged files flame_svg.css and
// flame_svg.js next to this file.
#ifndef TRAWL_REPORT_FLAME_ASSETS_H
#define TRAWL_REPORT_FLAME_ASSETS_H

#include "base/base.h"

// Both end in a NUL.
extern const char flame_svg_css[], flame_svg_js[];

#endif
