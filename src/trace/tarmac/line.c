#include "trace/tarmac/line.h"

const char *tarmac_line_trim(const char *start, const char *end)
{
    const char *trimmed = end;
    while (trimmed > start && (trimmed[-1] == '\r' || trimmed[-1] == '\n'))
        trimmed--;
    return trimmed == start ? end : trimmed;
}
