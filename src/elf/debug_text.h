// Characters and strings of C as GDB prints them. Characters that are not printable ASCII are
// escaped.
#ifndef TRAWL_ELF_DEBUG_TEXT_H
#define TRAWL_ELF_DEBUG_TEXT_H

#include "report/out.h"

// 'a', '\n', L'\000'. `unit_bytes` is the size of a character.
void debug_text_character(struct out *out, uint32_t unit, size_t unit_bytes, const char *prefix);

// "text", '\000' <repeats 12 times>, ... and "..." after LIMIT_DEBUG_ELEMENTS characters, or if
// `goes_on`.
void debug_text_string(struct out *out, const uint32_t *units, size_t count, size_t unit_bytes,
                       const char *prefix, bool goes_on);

#endif
