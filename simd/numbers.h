// Properties of many numbers, and their running sums: the scalar reference.
#ifndef TRAWL_SIMD_NUMBERS_H
#define TRAWL_SIMD_NUMBERS_H

#include "base/base.h"

struct extremes {
    uint64_t min, max;
};

// Of signed numbers, for numbers_extremes.
#define EXTREMES_SIGNED (UINT64_C(1) << 63)

// The extremes of `count` (1 or more) numbers, in the order of number ^ order.
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

// Writes the steps between consecutive ones of `count` (2 or more) numbers to `steps`, which is one
// shorter, and returns their extremes as signed numbers.
static inline struct extremes numbers_steps(const uint64_t *restrict numbers, size_t count,
                                            uint64_t *restrict steps)
{
    uint64_t min = UINT64_MAX, max = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t step = numbers[i + 1] - numbers[i];
        steps[i] = step;
        min = u64_min(min, step ^ EXTREMES_SIGNED);
        max = u64_max(max, step ^ EXTREMES_SIGNED);
    }
    return (struct extremes){min ^ EXTREMES_SIGNED, max ^ EXTREMES_SIGNED};
}

// Whether any number equals `wanted` in the bits of `mask`; `wanted` has no other bits. Reads all,
// because the answer is mostly no.
static inline bool numbers_contain(const uint64_t *numbers, size_t count, uint64_t mask,
                                   uint64_t wanted)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= (numbers[i] & mask) == wanted;
    return found;
}

// Marks those of eight numbers outside of [min, min + range] by the top bit of their words in
// `beyond`. If the range leaves that bit free, the top bit of a difference tells which is greater,
// which is cheaper than a comparison.
static ALWAYS_INLINE void numbers_mark_beyond(const uint64_t *numbers, uint64_t min, uint64_t range,
                                              uint64_t *beyond)
{
    for (unsigned k = 0; k < 8; k++)
        beyond[k] |= (range - (numbers[k] - min)) | (numbers[k] - min);
}

// Whether all numbers are in [min, min + range], whose end does not wrap. Reads all, because the
// answer is mostly yes; the last eight perhaps twice.
static inline bool numbers_within(const uint64_t *numbers, size_t count, uint64_t min,
                                  uint64_t range)
{
    uint64_t beyond[8] = {0}, any = 0;
    if (count < 8 || range >> 63) {
        for (size_t i = 0; i < count; i++)
            any |= numbers[i] - min > range;
        return !any;
    }
    for (size_t i = 0; i + 8 <= count; i += 8)
        numbers_mark_beyond(numbers + i, min, range, beyond);
    numbers_mark_beyond(numbers + count - 8, min, range, beyond);
    for (unsigned k = 0; k < 8; k++)
        any |= beyond[k];
    return any >> 63 == 0;
}

// Replaces each number by the sum of `before`, all previous numbers, and itself.
static inline void numbers_add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = before += numbers[i];
}

#endif
