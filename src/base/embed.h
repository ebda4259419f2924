// Files that are taken into the program. A compiler that knows #embed has it; of another, such as
// Debian's clang of the sanitizer builds, the assembler takes them in:
//
//     #ifdef __has_embed
//     const char text[] = {
//     #embed "text.js" suffix(, 0)
//     };
//     #else
//     EMBED(text, "report/text.js");
//     #endif
//
// Each ends in a NUL. Which source takes in what is in tools/build/sources.zig, too, as
// compilers do not tell the build's cache.
#ifndef TRAWL_BASE_EMBED_H
#define TRAWL_BASE_EMBED_H

#ifdef __has_embed

#pragma clang diagnostic ignored "-Wc23-extensions"

#else

// `path` from a directory of headers.
#define EMBED(symbol, path)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"" path "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char symbol[]

#endif

#endif
