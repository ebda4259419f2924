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

// Puts the steps from each of `count` (2 or more) numbers to the next into `steps`, one less, and
// returns their extremes as signed numbers.
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

// Eight numbers of which those outside of [min, min + range] are marked by the top bit of theirs in
// `beyond`. Where the range leaves that bit free, a difference says by it which of the two is
// greater, which is less to do than to compare.
static ALWAYS_INLINE void numbers_mark_beyond(const uint64_t *numbers, uint64_t min, uint64_t range,
                                              uint64_t *beyond)
{
    for (unsigned k = 0; k < 8; k++)
        beyond[k] |= (range - (numbers[k] - min)) | (numbers[k] - min);
}

// Whether all numbers are in [min, min + range], whose end does not wrap. Looks at all, as where
// this is asked, the answer is yes; at the last eight perhaps twice.
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

// Replaces each number by the sum of `before`, all numbers before it, and itself.
static inline void numbers_add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = before += numbers[i];
}

#endif
