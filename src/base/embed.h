// Files that become part of the program. Compilers with #embed read them; for others, such as
// Debian's clang in sanitizer builds, the assembler does:
//
//     #ifdef __has_embed
//     const char text[] = {
//     #embed "text.js" suffix(, 0)
//     };
//     #else
//     EMBED(text, "report/text.js");
//     #endif
//
// Each ends in a NUL; for files that may contain some, EMBED also declares `text_end`.
// tools/build/sources.zig also lists which source embeds what, because compilers do not report it
// to the build's cache.
#ifndef TRAWL_BASE_EMBED_H
#define TRAWL_BASE_EMBED_H

#ifdef __has_embed

#pragma clang diagnostic ignored "-Wc23-extensions"

#else

// `path` is relative to a directory of headers.
#define EMBED(symbol, path)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"" path "\"\n"                                                               \
            ".globl " #symbol "_end\n"                                                             \
            ".hidden " #symbol "_end\n" #symbol "_end:\n"                                          \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char symbol[], symbol##_end[]

#endif

#endif
