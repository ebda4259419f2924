#include "report/flame_svg.h"

#include "base/embed.h"

#ifdef __has_embed

// clang-format off
const char flame_svg_css[] = {
#embed "flame_svg.css" suffix(, 0)
};

const char flame_svg_js[] = {
#embed "flame_svg.js" suffix(, 0)
};
// clang-format on

#else

EMBED(flame_svg_css, "report/flame_svg.css");
EMBED(flame_svg_js, "report/flame_svg.js");

#endif
