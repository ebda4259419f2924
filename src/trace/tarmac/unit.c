#include "trace/tarmac/unit.h"

#include "trace/tarmac/line_read.h"

#include <strings.h>

struct time_unit tarmac_unit(const char *text, size_t length, enum reading reading)
{
    struct named_unit {
        char name[7];
        bool is_ttu;
        struct time_unit unit;
    };
    static const struct named_unit one[] = {{"s", false, {TIME_SECONDS, 0}}};
    static const struct named_unit two[] = {
        {"ns", true, {TIME_SECONDS, -9}},   {"ps", true, {TIME_SECONDS, -12}},
        {"us", true, {TIME_SECONDS, -6}},   {"cs", true, {TIME_CS, 0}},
        {"fs", false, {TIME_SECONDS, -15}}, {"ms", false, {TIME_SECONDS, -3}},
    };
    static const struct named_unit three[] = {
        {"clk", true, {TIME_CYCLES, 0}},
        {"tic", true, {TIME_CYCLES, 0}},
        {"cyc", true, {TIME_CYCLES, 0}},
    };
    static const struct named_unit five[] = {{"cycle", false, {TIME_CYCLES, 0}}};
    static const struct named_unit six[] = {{"cycles", false, {TIME_CYCLES, 0}}};
    // Every line without a template asks, mostly about words that are no units.
    static const struct {
        const struct named_unit *units;
        size_t count;
    } of_length[] = {[1] = {one, ARRAY_COUNT(one)},
                     [2] = {two, ARRAY_COUNT(two)},
                     [3] = {three, ARRAY_COUNT(three)},
                     [5] = {five, ARRAY_COUNT(five)},
                     [6] = {six, ARRAY_COUNT(six)}};
    const struct time_unit none = {TIME_OF_NOTHING, 0};
    if (length == 0 || length >= ARRAY_COUNT(of_length))
        return none;
    for (size_t i = 0; i < of_length[length].count; i++) {
        const struct named_unit *known = &of_length[length].units[i];
        if ((known->name[0] ^ text[0]) & ~0x20)
            continue; // not even if case does not matter
        if (reading == READING_TTU ? known->is_ttu && memcmp(text, known->name, length) == 0
                                   : strncasecmp(text, known->name, length) == 0)
            return known->unit;
    }
    return none;
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
