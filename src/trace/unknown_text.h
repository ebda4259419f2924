// Recognizes texts that are often given instead of a trace, by their first lines.
#ifndef TRAWL_TRACE_UNKNOWN_TEXT_H
#define TRAWL_TRACE_UNKNOWN_TEXT_H

#include <stddef.h>

// How much of a text is sufficient to recognize it.
#define UNKNOWN_TEXT_BYTES 16384

// Why bytes cannot be the text of a trace: "is binary data". NULL: they can be.
const char *unknown_text_binary(const char *bytes, size_t size_bytes);

// Why a text with this beginning, whose lines may all be understood, is no trace of an Arm core.
// NULL: it may be one.
const char *unknown_text_architecture(const char *text, size_t size_bytes);

// What a text with this beginning, of which no line or almost none is understood, seems to be: "a
// log of Spike". NULL: unknown.
const char *unknown_text_seems(const char *text, size_t size_bytes);

#endif
