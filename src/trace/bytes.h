// Numbers in a binary trace, unaligned and in the byte order of the machine that wrote it.
#ifndef TRAWL_TRACE_BYTES_H
#define TRAWL_TRACE_BYTES_H

#include "base/base.h"

static ALWAYS_INLINE uint16_t load_u16(const uint8_t *at, bool is_big_endian)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap16(value) : value;
}

static ALWAYS_INLINE uint32_t load_u32(const uint8_t *at, bool is_big_endian)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap32(value) : value;
}

static ALWAYS_INLINE uint64_t load_u64(const uint8_t *at, bool is_big_endian)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap64(value) : value;
}

// Writes the lower bytes of a number, little-endian.
static inline void store_little(uint8_t *at, uint64_t value, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

#endif
