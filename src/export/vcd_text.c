#include "export/vcd_writer.h"

struct vcd_ending vcd_ending_of(uint32_t number)
{
    struct vcd_ending ending = {.text = {' '}};
    unsigned length = 1;
    do
        ending.text[length++] = (char)('!' + number % 94);
    while ((number /= 94) > 0);
    ending.text[length++] = '\n';
    ending.length = (uint8_t)length;
    return ending;
}

char *vcd_put_short_bits(char *at, uint64_t value)
{
    unsigned digits = 64 - (unsigned)__builtin_clzll(value | 1);
    vcd_put_bits(at, value << (64 - digits), 8);
    return at + digits;
}

// Writes a backslash and a letter, or a backslash and three octal digits. Bytes are signed, as in
// the reference, so bytes above 127 begin with a character below '0'.
static NEVER_INLINE char *put_escape(char *at, char byte)
{
    static const char named[] = "\a\b\f\n\r\t\v'\"\\?", letters[] = "abfnrtv'\"\\?";
    const char *found = byte ? strchr(named, byte) : NULL;
    *at++ = '\\';
    if (found) {
        *at++ = letters[found - named];
        return at;
    }
    int bits = (uint8_t)byte, value = bits < 128 ? bits : bits - 256;
    *at++ = (char)('0' + value / 64);
    *at++ = (char)('0' + (bits >> 3 & 7));
    *at++ = (char)('0' + (bits & 7));
    return at;
}

static ALWAYS_INLINE bool is_plain(char byte)
{
    return byte > ' ' && byte < 127 && byte != '"' && byte != '\'' && byte != '\\' && byte != '?';
}

static ALWAYS_INLINE char *put_byte(char *at, char byte)
{
    *at = byte;
    if (LIKELY(is_plain(byte)))
        return at + 1;
    if (byte == ' ')
        return (char *)memcpy(at, "\\040", 4) + 4;
    return put_escape(at, byte);
}

char *vcd_put_string(char *at, const char *text, size_t length)
{
    for (const char *end = text + length; text < end; text++)
        at = put_byte(at, *text);
    return at;
}

static ALWAYS_INLINE bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

char *vcd_put_words(char *at, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        at = put_byte(at, *text);
        bool is_run = is_blank(*text++);
        while (is_run && text < end && is_blank(*text))
            text++;
    }
    return at;
}
