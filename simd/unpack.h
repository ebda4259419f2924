// What vector code that unpacks numbers knows of where they lie (simd/bitpack.h).
//
// Eight numbers take as many bytes as one takes bits, so the groups of eight all lie alike after
// their first byte: which bytes hold number k, and how far it is to be shifted down, is found once
// for all groups. A shuffle brings the eight bytes that hold it into its word; a shift, a mask and
// an addition are left to do. The bytes of number 7 begin at most 49 after those of number 0.
#ifndef TRAWL_SIMD_UNPACK_H
#define TRAWL_SIMD_UNPACK_H

#include "simd/bitpack.h"

#define UNPACK_GROUP 8

_Static_assert((7 + (UNPACK_GROUP - 1) * BITPACK_WIDTH_MAX) / 8 + 8 <= 64, "a group in 64 bytes");

struct unpack_group {
    const uint8_t *at;            // where the first begins
    size_t bytes[UNPACK_GROUP];   // where each begins, after `at`
    uint64_t shift[UNPACK_GROUP]; // by which bits are moved down then
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

// Whether a shuffle can do it, and there are so many that it is worth setting up.
static ALWAYS_INLINE bool unpack_by_groups(size_t count, unsigned width)
{
    return count >= 2 * UNPACK_GROUP && width - 1 < BITPACK_WIDTH_MAX;
}

#endif
