// Writes fields of protobuf messages to a buffer that the caller has made large enough.
// https://protobuf.dev/programming-guides/encoding/
#ifndef TRAWL_REPORT_PROTOBUF_H
#define TRAWL_REPORT_PROTOBUF_H

#include <string.h>

#include "base/base.h"

// The most bytes of a number, and of a field with a number (for field numbers below 2048).
#define PROTOBUF_VARINT_BYTES 10
#define PROTOBUF_NUMBER_BYTES (2 + PROTOBUF_VARINT_BYTES)

static ALWAYS_INLINE size_t protobuf_varint_size(uint64_t value)
{
    return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

static ALWAYS_INLINE uint8_t *protobuf_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static ALWAYS_INLINE uint8_t *protobuf_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return protobuf_varint(protobuf_varint(at, field << 3), value);
}

// Writes the head of a string or of a nested message.
static ALWAYS_INLINE uint8_t *protobuf_head(uint8_t *at, uint32_t field, uint64_t size_bytes)
{
    return protobuf_varint(protobuf_varint(at, field << 3 | 2), size_bytes);
}

// The size of a string or nested message, including its head.
static ALWAYS_INLINE uint64_t protobuf_size(uint32_t field, uint64_t size_bytes)
{
    return protobuf_varint_size(field << 3 | 2) + protobuf_varint_size(size_bytes) + size_bytes;
}

static inline uint8_t *protobuf_bytes(uint8_t *at, uint32_t field, const void *bytes,
                                      size_t size_bytes)
{
    at = protobuf_head(at, field, size_bytes);
    memcpy(at, bytes, size_bytes);
    return at + size_bytes;
}

#endif
