#include "trace/tarmac/unit.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *skip_word(const char *at, const char *end)
{
    while (at < end && !is_blank(*at))
        at++;
    return at;
}

// 0: the length of the unit is unknown.
static uint64_t hz_of(const char *unit)
{
    return !memcmp(unit, "ns", 2)   ? UINT64_C(1000000000)
           : !memcmp(unit, "ps", 2) ? UINT64_C(1000000000000)
           : !memcmp(unit, "us", 2) ? UINT64_C(1000000)
                                    : 0;
}

// Finds the unit of a line. False: it has no time with a unit.
static bool unit_of_line(const char *at, const char *end, uint64_t *hz)
{
    if (end - at > 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) // a byte order mark
        at += 3;
    const char *digits = at = skip_blanks(at, end);
    bool has_point = false;
    for (; at < end && ((*at >= '0' && *at <= '9') || *at == '.'); at++)
        has_point |= *at == '.';
    if (at == digits)
        return false;
    at = skip_blanks(at, end);
    if (!tarmac_is_unit(at, (size_t)(skip_word(at, end) - at)))
        return false;
    *hz = hz_of(at) * (has_point ? 1000000 : 1);
    return true;
}

uint64_t tarmac_ticks_per_second(const char *text, size_t size_bytes)
{
    const char *end = text + size_bytes, *line_end;
    uint64_t hz = 0;
    for (; (line_end = memchr(text, '\n', (size_t)(end - text))); text = line_end + 1) {
        if (unit_of_line(text, line_end, &hz))
            break;
    }
    return hz;
}
