// Kinds of ASCII characters. The functions of the C library for these depend on the locale, and may
// not be given a char that is negative, as bytes of other encodings are.
#ifndef TRAWL_BASE_CHARACTERS_H
#define TRAWL_BASE_CHARACTERS_H

#include "base/base.h"

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool is_letter(char c)
{
    return is_small((char)(c | 0x20));
}

static inline bool is_alphanumeric(char c)
{
    return is_letter(c) || is_digit(c);
}

static inline bool is_hex_digit(char c)
{
    return hex_digit(c) >= 0;
}

// The value of a digit in any base up to 16; 16 or more: it is none.
static inline unsigned digit_of(char c)
{
    return (unsigned)hex_digit(c);
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline char to_small(char c)
{
    return is_capital(c) ? (char)(c | 0x20) : c;
}

#endif
