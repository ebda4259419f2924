// Texts that are often given in place of a trace, recognized by their first lines.
#ifndef TRAWL_TRACE_FOREIGN_TEXT_H
#define TRAWL_TRACE_FOREIGN_TEXT_H

#include <stddef.h>

// Enough of a text to tell by.
#define FOREIGN_TEXT_BYTES 16384

// Why bytes are no text that a line of could be read: "is binary data". NULL: they may be one.
const char *foreign_bytes(const char *bytes, size_t size_bytes);

// What a text that begins so seems to be, of which no line, or hardly one, is understood: "a log of
// Spike". NULL: nothing that is known here.
const char *foreign_text(const char *text, size_t size_bytes);

#endif
