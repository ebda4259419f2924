#include "trace/tarmac/unit.h"

#include "trace/tarmac/line_read.h"

#include "base/characters.h"

#include <string.h>

struct time_unit tarmac_unit(const char *text, size_t length, bool *is_known_to_ttu)
{
    static const struct {
        char name[sizeof(uint64_t)]; // compared as a number, because most lines ask
        bool is_ttu;
        struct time_unit unit;
    } known[] = {
        {"clk", true, {TIME_CYCLES, 0}},    {"ns", true, {TIME_SECONDS, -9}},
        {"ps", true, {TIME_SECONDS, -12}},  {"us", true, {TIME_SECONDS, -6}},
        {"tic", true, {TIME_CYCLES, 0}},    {"cyc", true, {TIME_CYCLES, 0}},
        {"cs", true, {TIME_CS, 0}},         {"fs", false, {TIME_SECONDS, -15}},
        {"ms", false, {TIME_SECONDS, -3}},  {"s", false, {TIME_SECONDS, 0}},
        {"cycle", false, {TIME_CYCLES, 0}}, {"cycles", false, {TIME_CYCLES, 0}},
    };
    const uint64_t lower_case = UINT64_C(0x2020202020202020);
    uint64_t word = 0, name;
    *is_known_to_ttu = false;
    if (length == 0 || length >= sizeof word || (uint8_t)((text[0] | 0x20) - 'a') > 'z' - 'a')
        return (struct time_unit){TIME_OF_NOTHING, 0};
    memcpy(&word, text, length);
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        memcpy(&name, known[i].name, sizeof name);
        if (((word | lower_case) ^ (name | lower_case)) != 0)
            continue;
        *is_known_to_ttu = known[i].is_ttu && word == name;
        return known[i].unit;
    }
    return (struct time_unit){TIME_OF_NOTHING, 0};
}

struct time_scale tarmac_time_scale(const char *text, size_t size_bytes,
                                    const struct line_prefix *prefix)
{
    struct time_scale scale = {{TIME_OF_NOTHING, 0}, 0};
    const char *end = text + size_bytes, *newline;
    // Between the digits and the record of a line that was counted: " clk ".
    const char *unit_text = NULL;
    size_t unit_bytes = 0;
    for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        const char *at = text;
        while (is_digit(*at))
            at++;
        // Nearly every line is so, and says nothing new, whether it is understood or not.
        if (at > text && unit_bytes && (size_t)(newline - at) > unit_bytes &&
            memcmp(at, unit_text, unit_bytes) == 0)
            continue;
        bool has_point;
        struct time_unit unit =
            tarmac_line_unit(text, line_trim(text, newline), prefix, &has_point);
        if (unit.base == TIME_OF_NOTHING)
            continue;
        if (at > text && *at == ' ' && unit.base != TIME_BARE && !prefix) {
            const char *behind = memchr(at + 1, ' ', (size_t)(newline - at - 1));
            unit_text = at;
            unit_bytes = behind ? (size_t)(behind + 1 - at) : 0;
        }
        int exponent = unit.exponent - (has_point ? TARMAC_POINT_EXPONENT : 0);
        // The first line with a unit decides; numbers without one count in the same.
        if (scale.unit.base < TIME_CYCLES && unit.base != scale.unit.base) {
            scale.bare_exponent = unit.exponent;
            scale.unit = (struct time_unit){unit.base, scale.unit.exponent + unit.exponent};
        }
        if (unit.base == TIME_BARE)
            exponent += scale.bare_exponent;
        if ((unit.base == scale.unit.base || unit.base == TIME_BARE) &&
            exponent < scale.unit.exponent)
            scale.unit.exponent = exponent;
    }
    return scale;
}

uint64_t tarmac_ticks_per_second(const struct time_scale *scale)
{
    return scale->unit.base == TIME_SECONDS && scale->unit.exponent <= 0
               ? power_of_ten(-scale->unit.exponent)
               : 0;
}
