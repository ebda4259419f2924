// Durations as text for humans.
#ifndef TRAWL_BROWSE_DURATION_H
#define TRAWL_BROWSE_DURATION_H

#include "base/base.h"

enum { DURATION_BYTES = 40 };

// "312 ns", "1.204 us", "3.5 s"; where it is unknown how long a tick lasts (`hz` is 0), that many
// of `unit`.
void duration_text(uint64_t ticks, uint64_t hz, const char *unit, char text[DURATION_BYTES]);

#endif
