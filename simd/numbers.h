// Questions about many numbers, and their running sums: the scalar reference.
#ifndef TRAWL_SIMD_NUMBERS_H
#define TRAWL_SIMD_NUMBERS_H

#include "base/base.h"

struct extremes {
    uint64_t min, max;
};

// Of signed numbers, for numbers_extremes.
#define EXTREMES_SIGNED (UINT64_C(1) << 63)

// The extremes of `count` (1 or more) numbers, ordered as numbers ^ order are.
static inline struct extremes numbers_extremes(const uint64_t *numbers, size_t count,
                                               uint64_t order)
{
    uint64_t min = numbers[0] ^ order, max = min;
    for (size_t i = 1; i < count; i++) {
        min = u64_min(min, numbers[i] ^ order);
        max = u64_max(max, numbers[i] ^ order);
    }
    return (struct extremes){min ^ order, max ^ order};
}

// Whether any number is `wanted` in the bits of `mask`, beyond which `wanted` has none. Looks at
// all: where this is asked, the answer is mostly no.
static inline bool numbers_contain(const uint64_t *numbers, size_t count, uint64_t mask,
                                   uint64_t wanted)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= (numbers[i] & mask) == wanted;
    return found;
}

// Whether all numbers lie in [min, min + range], whose end does not wrap. Looks at all, as where
// this is asked, the answer is yes. Where the range leaves the top bit free, that bit of a
// difference says which of the two is greater, which is less to do than to compare.
static inline bool numbers_within(const uint64_t *numbers, size_t count, uint64_t min,
                                  uint64_t range)
{
    uint64_t beyond = 0;
    if (range >> 63) {
        for (size_t i = 0; i < count; i++)
            beyond |= numbers[i] - min > range;
        return !beyond;
    }
    for (size_t i = 0; i < count; i++)
        beyond |= (range - (numbers[i] - min)) | (numbers[i] - min);
    return beyond >> 63 == 0;
}

// Replaces each number by the sum of `before`, all numbers before it, and itself.
static inline void numbers_add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = before += numbers[i];
}

#endif
