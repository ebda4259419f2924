// How a trace was written, determined from its first lines.
#ifndef TRAWL_TRACE_TARMAC_DIALECT_H
#define TRAWL_TRACE_TARMAC_DIALECT_H

#include "flow/reading.h"

// How much of a trace is sufficient to determine the dialect. For a pipe, this much is waited for,
// so that the result depends only on the bytes.
#define TARMAC_DIALECT_PEEK_BYTES 65536

struct tarmac_dialect {
    struct time_scale scale;
    enum implicit_state implicit_state; // of instruction lines, if none of them has it
    uint8_t first_world;                // of the first physical address (flow/reading.h)
};

// Determines the dialect from [text, text + size_bytes), ignoring a line without an end.
struct tarmac_dialect tarmac_dialect_of(const char *text, size_t size_bytes,
                                        const struct line_prefix *prefix);

// An expression for what stands before the records of all instructions in this text, if none is at
// the beginning of its line ("# "). False: there is none.
#define TARMAC_PREFIX_BYTES 192
bool tarmac_find_prefix(const char *text, size_t size_bytes, char expression[TARMAC_PREFIX_BYTES]);

// How lines of the dialect are read, under READING_TRUE.
struct reading_options tarmac_dialect_reading(const struct tarmac_dialect *dialect,
                                              const struct reading_options *how);

#endif
