// The places of packed numbers (simd/bitpack.h), for vector code that unpacks them.
//
// Eight numbers take as many bytes as one takes bits, so all groups of eight have the same layout
// after their first byte: the bytes of number k, and how far to shift it down, are computed once
// for all groups. A shuffle moves the eight bytes of a number into its word; then a shift, a mask
// and an addition remain. The bytes of number 7 begin at most 49 bytes after those of number 0.
#ifndef TRAWL_SIMD_UNPACK_H
#define TRAWL_SIMD_UNPACK_H

#include "simd/bitpack.h"

#define UNPACK_GROUP 8

_Static_assert((7 + (UNPACK_GROUP - 1) * BITPACK_WIDTH_MAX) / 8 + 8 <= 64, "a group in 64 bytes");

struct unpack_group {
    const uint8_t *at;            // where the first number begins
    size_t bytes[UNPACK_GROUP];   // where each begins, after `at`
    uint64_t shift[UNPACK_GROUP]; // by which bits are then moved down
};

static ALWAYS_INLINE struct unpack_group unpack_group_at(const uint8_t *packed, size_t bit,
                                                         unsigned width)
{
    struct unpack_group group = {.at = packed + bit / 8};
    for (size_t k = 0; k < UNPACK_GROUP; k++) {
        group.bytes[k] = (bit % 8 + k * width) / 8;
        group.shift[k] = (bit % 8 + k * width) % 8;
    }
    return group;
}

// For a shuffle of bytes: the eight bytes from `first` on.
static ALWAYS_INLINE uint64_t unpack_eight_from(size_t first)
{
    return UINT64_C(0x0706050403020100) + first * UINT64_C(0x0101010101010101);
}

// Whether a shuffle can do it, and there are enough numbers to be worth the setup.
static ALWAYS_INLINE bool unpack_by_groups(size_t count, unsigned width)
{
    return count >= 2 * UNPACK_GROUP && width - 1 < BITPACK_WIDTH_MAX;
}

#endif
