// Zig's clang knows #embed and lets its build cache see the embedded files change. Debian's clang,
// of the sanitizer builds, is too old for it: there the assembler takes the files in.

#include "report/flame_assets.h"

#ifdef __has_embed

#pragma clang diagnostic ignored "-Wc23-extensions"

// clang-format off
const char flame_css[] = {
#embed "flame_svg.css" suffix(, 0)
};

const char flame_js[] = {
#embed "flame_svg.js" suffix(, 0)
};
// clang-format on

#else

#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"report/" file "\"\n"                                                        \
            ".byte 0\n"                                                                            \
            ".popsection\n")

EMBED(flame_css, "flame_svg.css");
EMBED(flame_js, "flame_svg.js");

#endif
