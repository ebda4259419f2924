// The words of a Value Change Dump (IEEE 1364-2005, 18): identifiers, vectors, strings.
//
// All write at `at`, where the caller has made room, and return the end of what they wrote.
#ifndef TRAWL_REPORT_VCD_H
#define TRAWL_REPORT_VCD_H

#include "base/base.h"

// Bytes of any identifier.
#define VCD_IDENTIFIER_BYTES_MAX 5

// What a byte of a string takes at most.
#define VCD_ESCAPE_BYTES_MAX 4

// What is after the value in every change of a variable: blank, identifier, newline.
struct vcd_ending {
    char text[8];
    uint8_t length;
};

// The ending of variable `number` of the file: identifiers are numbers of base 94, the least
// significant digit first.
struct vcd_ending vcd_ending_of(uint32_t number);

// Needs eight bytes of room whatever the length.
static ALWAYS_INLINE char *vcd_put_ending(char *at, const struct vcd_ending *ending)
{
    memcpy(at, ending->text, sizeof ending->text);
    return at + ending->length;
}

// The eight binary digits of `byte`, the highest first. The product holds nine bits apart eight
// copies of it, so that the top bit of byte j is bit 7 - j of the copy there.
static ALWAYS_INLINE char *vcd_put_byte(char *at, uint8_t byte)
{
    uint64_t digits = (byte * UINT64_C(0x8040201008040201)) >> 7 & UINT64_C(0x0101010101010101);
    digits |= UINT64_C(0x3030303030303030);
    memcpy(at, &digits, sizeof digits); // little-endian hosts only, as all we build for
    return at + sizeof digits;
}

// The low `bytes` bytes of `value` as binary digits.
static ALWAYS_INLINE char *vcd_put_bits(char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        at = vcd_put_byte(at, (uint8_t)(value >> (8 * i)));
    return at;
}

// The same without leading zeros, which readers add; zero is one digit. Needs 64 bytes of room.
char *vcd_put_short_bits(char *at, uint64_t value);

// Text as a string value has it, on one line and without blanks. Needs VCD_ESCAPE_BYTES_MAX bytes
// of room for each of `length`.
char *vcd_put_string(char *at, const char *text, size_t length);

// The same, where each run of blanks and tabs counts as its first.
char *vcd_put_words(char *at, const char *text, size_t length);

#endif
