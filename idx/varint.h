// Numbers of variable length: seven bits in each byte, lowest first, the top bit set if more
// follow.
#ifndef TRAWL_IDX_VARINT_H
#define TRAWL_IDX_VARINT_H

#include "base/base.h"

#define VARINT_BYTES_MAX 10

// Returns the end of what was written, at most VARINT_BYTES_MAX bytes.
static inline uint8_t *varint_write(uint8_t *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

// Reads a number at *at, before `end`, and moves *at after it. False: it is truncated, or over 64
// bits.
static inline bool varint_read(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return shift < 63 || byte < 2;
    }
    return false;
}

// Signed numbers as unsigned ones; small if near zero.
static inline uint64_t zigzag(uint64_t value)
{
    return value << 1 ^ (0 - (value >> 63));
}

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

#endif
