#include "base/utf8.h"

struct utf8_range {
    uint32_t first, last;
};

#include "base/utf8_widths.h"

unsigned utf8_character(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80)
        return 1;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || length < 2 || !utf8_is_tail(byte[1]))
        return 0;
    if (byte[0] < 0xe0)
        return 2;
    if (length < 3 || !utf8_is_tail(byte[2]))
        return 0;
    if (byte[0] < 0xf0) {
        bool overlong = byte[0] == 0xe0 && byte[1] < 0xa0;
        bool surrogate = byte[0] == 0xed && byte[1] >= 0xa0;
        return overlong || surrogate ? 0 : 3;
    }
    if (length < 4 || !utf8_is_tail(byte[3]))
        return 0;
    bool overlong = byte[0] == 0xf0 && byte[1] < 0x90;
    bool too_large = byte[0] == 0xf4 && byte[1] >= 0x90;
    return overlong || too_large ? 0 : 4;
}

uint32_t utf8_code(const char *text, unsigned bytes)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0xf, 0x7};
    uint32_t code = (unsigned char)text[0] & first[bytes];
    for (unsigned i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

static bool is_among(uint32_t code, const struct utf8_range *ranges, size_t count)
{
    size_t at;
    PARTITION_POINT(at, count, ranges[middle].last < code);
    return at < count && ranges[at].first <= code;
}

unsigned utf8_columns(uint32_t code)
{
    if (code < without_column[0].first)
        return 1;
    return is_among(code, without_column, ARRAY_COUNT(without_column)) ? 0
           : is_among(code, wide, ARRAY_COUNT(wide))                   ? 2
                                                                       : 1;
}

unsigned utf8_printable(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned bytes = utf8_character(text, length);
    bool hidden = false;
    if (bytes == 1) {
        hidden = byte[0] < 0x20 || byte[0] == 0x7f;
    } else if (bytes == 2) {
        hidden = byte[0] == 0xc2 && byte[1] < 0xa0;
    } else if (bytes == 3) {
        uint32_t code = utf8_code(text, bytes);
        bool turns_direction = (code >= 0x200e && code <= 0x200f) ||
                               (code >= 0x202a && code <= 0x202e) ||
                               (code >= 0x2066 && code <= 0x2069);
        hidden = turns_direction || code >= 0xfffe;
    }
    return hidden ? 0 : bytes;
}

bool utf8_is_plain(const char *text, size_t length)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word, suspect;
        memcpy(&word, text, sizeof word);
        suspect = word | (word - ones * 0x20) | (word + ones); // above 0x7f, below 0x20, DEL
        if (suspect & highs)
            return false;
    }
    for (; length; text++, length--) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte >= 0x7f)
            return false;
    }
    return true;
}

void utf8_make_inert(char *text, size_t length)
{
    if (utf8_is_plain(text, length))
        return;
    for (const char *end = text + length; text < end;) {
        unsigned bytes = utf8_printable(text, (size_t)(end - text));
        if (!bytes)
            *text = '?';
        text += bytes ? bytes : 1;
    }
}
