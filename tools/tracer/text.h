// Formatting without printf: all trace lines are written by these few functions.
#ifndef TRACER_TEXT_H
#define TRACER_TEXT_H

#include <stdint.h>
#include <string.h>

// Pairs of digits, so that one load gives two digits: "00" "01" ... "ff", and "00" ... "99".
extern char hex_lower_pairs[512];
extern char hex_upper_pairs[512];
extern char decimal_pairs[200];

void text_init(void);

static inline char *put_bytes(char *p, const char *s, size_t length)
{
    memcpy(p, s, length);
    return p + length;
}

#define PUT_LITERAL(p, literal) put_bytes((p), (literal), sizeof(literal) - 1)

// The low hexadecimal digits of v; `digits` must be even.
static inline char *put_hex(char *p, uint64_t v, unsigned digits, const char *pairs)
{
    for (unsigned shift = digits * 4; shift != 0;) {
        shift -= 8;
        memcpy(p, pairs + 2 * ((v >> shift) & 0xff), 2);
        p += 2;
    }
    return p;
}

static inline char *put_decimal(char *p, uint64_t v)
{
    char digits[20];
    char *d = digits + sizeof digits;
    while (v >= 100) {
        d -= 2;
        memcpy(d, decimal_pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        d -= 2;
        memcpy(d, decimal_pairs + 2 * v, 2);
    } else {
        *--d = (char)('0' + v);
    }
    return put_bytes(p, d, (size_t)(digits + sizeof digits - d));
}

#endif
