#include "report/value.h"

#include "base/limits.h"

static char *put_byte(char *at, uint8_t value, bool is_known)
{
    static const char digits[] = "0123456789abcdef";
    *at++ = is_known ? digits[value >> 4] : '.';
    *at++ = is_known ? digits[value & 15] : '.';
    return at;
}

size_t value_number(char text[VALUE_TEXT_MAX], const uint8_t *values, const uint8_t *known,
                    size_t size_bytes)
{
    char *at = text;
    ASSERT(size_bytes <= LIMIT_VALUE_BYTES);
    *at++ = '0';
    *at++ = 'x';
    for (size_t i = size_bytes; i-- > 0;)
        at = put_byte(at, values[i], known[i]);
    *at = '\0';
    return (size_t)(at - text);
}

void value_bytes(char *text, const uint8_t *values, const uint8_t *known, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        text = put_byte(text, values[i], known[i]);
    *text = '\0';
}
