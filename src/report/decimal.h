// Numbers as decimal digits.
#ifndef TRAWL_REPORT_DECIMAL_H
#define TRAWL_REPORT_DECIMAL_H

#include "base/base.h"

#include <endian.h>

// The bytes that decimal_put may write: up to 20 digits, and a few bytes after them.
#define DECIMAL_ROOM_BYTES 24

// The eight decimal digits of a value below 100000000, the most significant in the lowest byte. The
// value is split into halves, then pairs, then digits. Each step splits all of them at once, by
// multiplication with reciprocals that are exact for so few digits.
static ALWAYS_INLINE uint64_t decimal_eight(uint32_t value)
{
    uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = halves * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
    uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - tens * 10) << 8;
}

static ALWAYS_INLINE void decimal_store(char *at, uint64_t digits)
{
    digits = htole64(digits + UINT64_C(0x3030303030303030));
    memcpy(at, &digits, sizeof digits);
}

// Writes the digits without leading zeros. Writes eight bytes, and returns the end of those that
// count.
static ALWAYS_INLINE char *decimal_store_first(char *at, uint32_t value)
{
    uint64_t digits = decimal_eight(value);
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    decimal_store(at, digits >> 8 * zeros);
    return at + 8 - zeros;
}

// Returns the end of the digits.
static ALWAYS_INLINE char *decimal_put(char *at, uint64_t value)
{
    const uint64_t eight = 100000000;
    if (LIKELY(value < eight))
        return decimal_store_first(at, (uint32_t)value);
    uint64_t top = value / eight;
    if (LIKELY(top < eight)) {
        at = decimal_store_first(at, (uint32_t)top);
    } else {
        at = decimal_store_first(at, (uint32_t)(top / eight));
        decimal_store(at, decimal_eight((uint32_t)(top % eight)));
        at += 8;
    }
    decimal_store(at, decimal_eight((uint32_t)(value % eight)));
    return at + 8;
}

#endif
