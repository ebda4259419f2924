// Writes the elements of a Value Change Dump (IEEE 1364-2005, 18): identifiers, vectors, strings.
//
// All functions write at `at`, where the caller has made room, and return the end of what they
// wrote.
#ifndef TRAWL_REPORT_VCD_H
#define TRAWL_REPORT_VCD_H

#include "base/base.h"

// The most bytes of an identifier.
#define VCD_IDENTIFIER_BYTES_MAX 5

// The most bytes that a byte of a string takes.
#define VCD_ESCAPE_BYTES_MAX 4

// What follows the value in every change of a variable: a blank, its identifier, a newline.
struct vcd_ending {
    char text[8];
    uint8_t length;
};

// The ending of variable `number` of the file: identifiers are numbers in base 94, the least
// significant digit first.
struct vcd_ending vcd_ending_of(uint32_t number);

// Needs room for eight bytes, regardless of the length.
static ALWAYS_INLINE char *vcd_put_ending(char *at, const struct vcd_ending *ending)
{
    memcpy(at, ending->text, sizeof ending->text);
    return at + ending->length;
}

// Writes the eight binary digits of `byte`, the highest first. The product has eight copies of the
// byte, nine bits apart, so the top bit of byte j is bit 7 - j of a copy.
static ALWAYS_INLINE char *vcd_put_byte(char *at, uint8_t byte)
{
    uint64_t digits = (byte * UINT64_C(0x8040201008040201)) >> 7 & UINT64_C(0x0101010101010101);
    digits |= UINT64_C(0x3030303030303030);
    memcpy(at, &digits, sizeof digits); // all supported hosts are little-endian
    return at + sizeof digits;
}

// Writes the low `bytes` bytes of `value` as binary digits.
static ALWAYS_INLINE char *vcd_put_bits(char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        at = vcd_put_byte(at, (uint8_t)(value >> (8 * i)));
    return at;
}

// The same without leading zeros, which readers add; zero is one digit. Needs room for 64 bytes.
char *vcd_put_short_bits(char *at, uint64_t value);

// Writes text as a string value, on one line and without blanks. Needs room for
// VCD_ESCAPE_BYTES_MAX bytes for each of `length`.
char *vcd_put_string(char *at, const char *text, size_t length);

// The same, but each run of blanks and tabs becomes its first character.
char *vcd_put_words(char *at, const char *text, size_t length);

#endif
