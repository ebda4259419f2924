#include "browse/duration.h"

#include <inttypes.h>
#include <stdio.h>

void duration_text(uint64_t ticks, uint64_t hz, const char *unit, char text[DURATION_BYTES])
{
    static const char *const units[] = {"ns", "us", "ms"};
    enum { NS_PER_S = 1000000000 };
    if (!hz) {
        snprintf(text, DURATION_BYTES, "%" PRIu64 " %s", ticks, unit);
        return;
    }
    unsigned __int128 wide = (unsigned __int128)ticks * NS_PER_S / hz;
    uint64_t ns = wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide, scale = 1;
    size_t at = 0;
    for (; at < ARRAY_COUNT(units) && ns / scale >= 1000; at++)
        scale *= 1000;
    const char *name = at < ARRAY_COUNT(units) ? units[at] : "s";
    if (scale == 1)
        snprintf(text, DURATION_BYTES, "%" PRIu64 " %s", ns, name);
    else
        snprintf(text, DURATION_BYTES, "%" PRIu64 ".%03" PRIu64 " %s", ns / scale,
                 ns % scale / (scale / 1000), name);
}
