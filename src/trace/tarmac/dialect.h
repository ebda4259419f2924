// How a trace was written, according to its first lines.
#ifndef TRAWL_TRACE_TARMAC_DIALECT_H
#define TRAWL_TRACE_TARMAC_DIALECT_H

#include "flow/reading.h"

// Enough of a trace to tell by. Of a pipe, so much is waited for: what is told depends on nothing
// but the bytes.
#define TARMAC_DIALECT_PEEK_BYTES 65536

struct tarmac_dialect {
    uint64_t frequency_hz;              // ticks per second; 0: unknown
    enum implicit_state implicit_state; // of instruction lines, none of which has one
};

// Tells by [text, text + size_bytes), of which a line that has no end does not count.
struct tarmac_dialect tarmac_dialect_of(const char *text, size_t size_bytes);

// How lines of the dialect are to be read, under READING_RIGHT.
struct reading_options tarmac_dialect_reading(const struct tarmac_dialect *dialect,
                                              const struct reading_options *how);

#endif
