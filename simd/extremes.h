// The least and the greatest of many numbers: the scalar reference.
#ifndef TRAWL_SIMD_EXTREMES_H
#define TRAWL_SIMD_EXTREMES_H

#include "base/base.h"

struct extremes {
    uint64_t min, max;
};

// Of signed numbers, for extremes_find.
#define EXTREMES_SIGNED (UINT64_C(1) << 63)

// The extremes of `count` (1 or more) numbers, ordered as numbers ^ order are.
static inline struct extremes extremes_find(const uint64_t *numbers, size_t count, uint64_t order)
{
    uint64_t min = numbers[0] ^ order, max = min;
    for (size_t i = 1; i < count; i++) {
        min = u64_min(min, numbers[i] ^ order);
        max = u64_max(max, numbers[i] ^ order);
    }
    return (struct extremes){min ^ order, max ^ order};
}

#endif
