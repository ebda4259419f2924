// The units of times in a Tarmac trace. They never change the number, which is in ticks, but some
// define the length of a tick.
#ifndef TRAWL_TRACE_TARMAC_UNIT_H
#define TRAWL_TRACE_TARMAC_UNIT_H

#include <stddef.h>

#include "base/base.h"

// How much of a trace is sufficient to find its unit.
#define TARMAC_UNIT_PEEK_BYTES 16384

static inline bool tarmac_is_unit(const char *text, size_t length)
{
    if (length == 3)
        return !memcmp(text, "clk", 3) || !memcmp(text, "tic", 3) || !memcmp(text, "cyc", 3);
    return length == 2 && text[1] == 's' &&
           (text[0] == 'n' || text[0] == 'p' || text[0] == 'u' || text[0] == 'c');
}

// Ticks per second, according to the first line that begins with a time and a unit, in the first
// bytes of a trace. A time with a point counts millionths. 0: there is no such line, or its unit is
// a cycle.
uint64_t tarmac_ticks_per_second(const char *text, size_t size_bytes);

#endif
