#include "trace/tarmac/unit.h"

#include "trace/tarmac/line_read.h"

#include <strings.h>

struct time_unit tarmac_unit(const char *text, size_t length, enum reading reading)
{
    static const struct {
        const char *name;
        struct time_unit unit;
        bool is_ttu;
    } units[] = {
        {"clk", {TIME_CYCLES, 0}, true},    {"ns", {TIME_SECONDS, -9}, true},
        {"ps", {TIME_SECONDS, -12}, true},  {"us", {TIME_SECONDS, -6}, true},
        {"tic", {TIME_CYCLES, 0}, true},    {"cyc", {TIME_CYCLES, 0}, true},
        {"cs", {TIME_CS, 0}, true},         {"fs", {TIME_SECONDS, -15}, false},
        {"ms", {TIME_SECONDS, -3}, false},  {"s", {TIME_SECONDS, 0}, false},
        {"cycle", {TIME_CYCLES, 0}, false}, {"cycles", {TIME_CYCLES, 0}, false},
    };
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        bool is_ttu = reading == READING_TTU;
        if (strlen(units[i].name) == length && (units[i].is_ttu || !is_ttu) &&
            (is_ttu ? memcmp(text, units[i].name, length)
                    : strncasecmp(text, units[i].name, length)) == 0)
            return units[i].unit;
    }
    return (struct time_unit){TIME_OF_NOTHING, 0};
}

struct time_scale tarmac_time_scale(const char *text, size_t size_bytes,
                                    const struct line_prefix *prefix)
{
    struct time_scale scale = {{TIME_OF_NOTHING, 0}, 0};
    const char *end = text + size_bytes, *newline;
    for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        bool has_point;
        struct time_unit unit =
            tarmac_line_unit(text, tarmac_line_trim(text, newline), prefix, &has_point);
        if (unit.base == TIME_OF_NOTHING)
            continue;
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

uint64_t tarmac_power_of_ten(int exponent)
{
    uint64_t power = 1;
    for (int i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(power, 10, &power))
            return 0;
    }
    return power;
}

uint64_t tarmac_ticks_per_second(const struct time_scale *scale)
{
    return scale->unit.base == TIME_SECONDS && scale->unit.exponent <= 0
               ? tarmac_power_of_ten(-scale->unit.exponent)
               : 0;
}
