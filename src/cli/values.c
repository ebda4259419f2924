#include "cli/values.h"

enum { NOT_A_DIGIT = 99 };

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    char lower = (char)(c | 0x20);
    if (lower >= 'a' && lower <= 'f')
        return (unsigned)(lower - 'a') + 10;
    return NOT_A_DIGIT;
}

// Reads digits of `base` up to the first other byte, which it returns; NULL when there is no digit
// or the number does not fit.
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

bool parse_range(const char *text, struct value_range *range)
{
    struct value_range result = {0, UINT64_MAX};
    const char *at = text;
    if (*at != '.')
        at = read_number(at, &result.first);
    if (!at || at[0] != '.' || at[1] != '.')
        return false;
    bool has_first = at != text;
    at += 2;
    bool has_last = *at != 0;
    if (has_last && !parse_u64(at, &result.last))
        return false;
    if ((!has_first && !has_last) || result.first > result.last)
        return false;
    *range = result;
    return true;
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
