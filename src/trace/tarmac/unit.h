// The units that times of a Tarmac trace may have. They never change the number, which is ticks,
// but some say how long a tick lasts.
#ifndef TRAWL_TRACE_TARMAC_UNIT_H
#define TRAWL_TRACE_TARMAC_UNIT_H

#include <stddef.h>

#include "base/base.h"

// Enough of a trace to find its unit in.
#define TARMAC_UNIT_PEEK_BYTES 16384

static inline bool tarmac_is_unit(const char *text, size_t length)
{
    if (length == 3)
        return !memcmp(text, "clk", 3) || !memcmp(text, "tic", 3) || !memcmp(text, "cyc", 3);
    return length == 2 && text[1] == 's' &&
           (text[0] == 'n' || text[0] == 'p' || text[0] == 'u' || text[0] == 'c');
}

// Ticks per second by the first line of a trace that begins with a time and a unit, of which these
// are the first bytes. A time with a point counts millionths. 0: there is no such line, or its unit
// is a cycle.
uint64_t tarmac_ticks_per_second(const char *text, size_t size_bytes);

#endif
