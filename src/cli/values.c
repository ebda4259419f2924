#include "cli/values.h"

#include "base/characters.h"

#include <string.h>

// Reads digits of `base` up to the first other byte, which it returns; NULL: no digit, or the
// number does not fit.
static const char *read_digits(const char *text, unsigned base, uint64_t *value)
{
    if (digit_of(*text) >= base)
        return NULL;
    uint64_t result = 0;
    for (; digit_of(*text) < base; text++) {
        if (__builtin_mul_overflow(result, (uint64_t)base, &result) ||
            __builtin_add_overflow(result, (uint64_t)digit_of(*text), &result))
            return NULL;
    }
    *value = result;
    return text;
}

static bool is_hex_prefix(const char *text)
{
    return text[0] == '0' && (text[1] | 0x20) == 'x';
}

static const char *read_number(const char *text, uint64_t *value)
{
    return is_hex_prefix(text) ? read_digits(text + 2, 16, value) : read_digits(text, 10, value);
}

bool parse_u64(const char *text, uint64_t *value)
{
    uint64_t number;
    const char *end = read_number(text, &number);
    if (!end || *end)
        return false;
    *value = number;
    return true;
}

// Only decimal digits.
static bool read_whole(const char *text, uint64_t *value)
{
    const char *end = read_digits(text, 10, value);
    return end && !*end;
}

bool parse_u64_within(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    uint64_t number;
    if (!parse_u64(text, &number) || number < min || number > max)
        return false;
    *value = number;
    return true;
}

bool parse_size(const char *text, uint64_t *size_bytes)
{
    uint64_t number;
    const char *end = read_number(text, &number);
    if (!end)
        return false;
    unsigned shift = 0;
    switch (*end | 0x20) {
    case 'k':
        shift = 10;
        break;
    case 'm':
        shift = 20;
        break;
    case 'g':
        shift = 30;
        break;
    }
    if (end[shift != 0] || number > UINT64_MAX >> shift)
        return false;
    *size_bytes = number << shift;
    return true;
}

// Reads the digits after the point, as millionths.
// At most `digits_max` digits after a point, as that many.
static bool read_fraction(const char *text, unsigned digits_max, uint64_t *value)
{
    unsigned digits = 0;
    for (*value = 0; digit_of(*text) < 10 && digits <= digits_max; text++, digits++)
        *value = *value * 10 + digit_of(*text);
    if (*text || !digits || digits > digits_max)
        return false;
    for (; digits < digits_max; digits++)
        *value *= 10;
    return true;
}

// A number with a point and up to `digits_max` digits, in units of the last of them.
static bool parse_fraction(const char *text, unsigned digits_max, uint64_t *value)
{
    uint64_t whole = 0, fraction, unit = 1;
    const char *point = *text == '.' ? text : read_digits(text, 10, &whole);
    if (!point || *point != '.' || !read_fraction(point + 1, digits_max, &fraction))
        return false;
    for (unsigned i = 0; i < digits_max; i++)
        unit *= 10;
    return !__builtin_mul_overflow(whole, unit, &whole) &&
           !__builtin_add_overflow(whole, fraction, value);
}

bool parse_time(const char *text, uint64_t *time)
{
    return parse_fraction(text, 6, time) || parse_u64(text, time);
}

bool parse_duration(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        unsigned digits;                                     // after the point, down to nanoseconds
    } units[] = {{"ms", 6}, {"us", 3}, {"ns", 0}, {"s", 9}}; // "s" ends the others
    char number[48];
    size_t length = strlen(text);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        size_t unit = strlen(units[i].name), digits = length - unit;
        if (length <= unit || digits >= sizeof number || strcmp(text + digits, units[i].name) != 0)
            continue;
        memcpy(number, text, digits);
        number[digits] = 0;
        uint64_t scale = 1;
        for (unsigned k = 0; k < units[i].digits; k++)
            scale *= 10;
        return strchr(number, '.')
                   ? parse_fraction(number, units[i].digits, ns)
                   : read_whole(number, ns) && !__builtin_mul_overflow(*ns, scale, ns);
    }
    return false;
}

static bool parse_any_seconds(const char *text, uint64_t *ns)
{
    return parse_fraction(text, 9, ns) || parse_duration(text, ns) ||
           (read_whole(text, ns) && !__builtin_mul_overflow(*ns, UINT64_C(1000000000), ns));
}

bool parse_seconds(const char *text, uint64_t *ns)
{
    return *text == '+' ? parse_any_seconds(text + 1, ns)
                        : parse_fraction(text, 9, ns) || parse_duration(text, ns);
}

uint64_t ticks_from_ns(uint64_t ns, uint64_t hz)
{
    unsigned __int128 ticks = ((unsigned __int128)ns * hz + 999999999) / 1000000000;
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

uint64_t ticks_to_ns(uint64_t ns, uint64_t hz)
{
    uint64_t after = ns == UINT64_MAX ? UINT64_MAX : ticks_from_ns(ns + 1, hz);
    return after - (after > 0 && after < UINT64_MAX);
}

// "A..B", of numbers that `parse` reads.
static bool parse_range_of(const char *text, bool (*parse)(const char *text, uint64_t *value),
                           struct value_range *range)
{
    struct value_range result = {0, UINT64_MAX};
    char first[64];
    const char *dots = strstr(text, "..");
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = 0;
    const char *last = dots + 2;
    if ((*first && !parse(first, &result.first)) || (*last && !parse(last, &result.last)) ||
        (!*first && !*last))
        return false;
    if (*first && *last && result.first > result.last && !strchr(first, '.') != !strchr(last, '.'))
        return false;               // 1.5..2 is meant differently: 2 counts ticks
    if (result.first > result.last) // empty, as if everything were before it
        result.first = result.last = UINT64_MAX;
    *range = result;
    return true;
}

bool parse_range(const char *text, struct value_range *range)
{
    return parse_range_of(text, parse_u64, range);
}

bool parse_time_range(const char *text, struct value_range *range)
{
    return parse_range_of(text, parse_time, range);
}

static bool parse_end_of_range(const char *text, uint64_t *ns)
{
    return parse_any_seconds(text + (*text == '+'), ns);
}

bool parse_seconds_range(const char *text, struct value_range *range)
{
    return parse_range_of(text, parse_end_of_range, range);
}

bool time_range_is_relative(const char *text)
{
    const char *dots = strstr(text, "..");
    const char *point = strchr(text, '.');
    return dots && (point < dots || strchr(dots + 2, '.') || strpbrk(text, "+s"));
}

bool parse_load_offset(const char *text, uint64_t *offset)
{
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    uint64_t number;
    bool is_hex = is_hex_prefix(text) && digit_of(text[2]) < 16; // "0xg" is a 0 and junk
    bool is_octal = !is_hex && *text == '0';
    if (!read_digits(is_hex ? text + 2 : text, is_hex ? 16 : is_octal ? 8 : 10, &number))
        return false;
    *offset = negative ? 0 - number : number;
    return true;
}
