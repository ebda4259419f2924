// Checks and cleans text. Names come from files that anybody may have made, and text that is not
// clean must not reach a JSON reader, a browser or a terminal.
#ifndef TRAWL_BASE_UTF8_H
#define TRAWL_BASE_UTF8_H

#include "base/base.h"

// U+FFFD, which replaces invalid text.
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

// The length of the well-formed UTF-8 character at the start of `text` (1 to 4), or 0 if there is
// none: overlong forms, surrogates and characters above U+10FFFF are not well-formed. `length` is
// at least 1.
unsigned utf8_character(const char *text, size_t length);

// Whether a byte belongs to a character and is not its first byte.
static inline bool utf8_is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

// The code point of a well-formed character.
uint32_t utf8_code(const char *text, unsigned bytes);

// The columns that a printable character takes in a terminal: 2 for the wide ones of East Asia and
// emoji, 0 for marks, which are drawn on the character before them.
unsigned utf8_columns(uint32_t code);

// Like utf8_character, but 0 also for control characters (C0 including tab and newline, DEL, C1),
// marks that change the direction of writing, and U+FFFE and U+FFFF.
unsigned utf8_printable(const char *text, size_t length);

// Whether the whole text is printable ASCII, as nearly all names are. Examines eight bytes at a
// time.
bool utf8_is_plain(const char *text, size_t length);

// Makes text inert: replaces every byte that must not reach a terminal with a question mark. The
// length does not change, and a second call changes nothing. All code that shows text of a trace,
// an image or a log in lines for humans uses this, or out_clean (report/out.h).
void utf8_make_inert(char *text, size_t length);

#endif
