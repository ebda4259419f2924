// Names come out of files that anybody may have made: what is not clean text must not reach a JSON
// reader, a browser or a terminal.
#ifndef TRAWL_BASE_UTF8_H
#define TRAWL_BASE_UTF8_H

#include "base/base.h"

// U+FFFD, for what is not text.
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

// The length of the well-formed UTF-8 character that starts `text` (1 to 4), or 0 when there is
// none: overlong forms, surrogates and what lies past U+10FFFF are not well-formed. `length` is at
// least 1.
unsigned utf8_character(const char *text, size_t length);

// Whether a byte is inside of a character, after its first.
static inline bool utf8_is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

// The number of a well-formed character of 2 or 3 bytes.
uint32_t utf8_code(const char *text, unsigned bytes);

// Like utf8_character, but 0 also for control characters (C0 with tab and newline, DEL, C1), marks
// that turn the direction of writing, and U+FFFE and U+FFFF.
unsigned utf8_printable(const char *text, size_t length);

// Whether all of it is printable ASCII, as nearly all names are: looks at eight bytes at a time.
bool utf8_is_plain(const char *text, size_t length);

// Makes text inert: puts a question mark in place of every byte that a terminal should not see.
// What it is replaced in keeps its length, and a second time changes nothing. Whoever shows text of
// a trace, an image or a log as lines for humans does it here, or by out_clean (report/clean.h).
void utf8_make_inert(char *text, size_t length);

#endif
