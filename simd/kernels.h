// The loops over many numbers that are written, or at least compiled, for each instruction set.
// Each is defined by its scalar reference; results are bit-identical.
#ifndef TRAWL_SIMD_KERNELS_H
#define TRAWL_SIMD_KERNELS_H

#include "base/base.h"
#include "simd/bitpack.h"
#include "simd/simd.h"
#include "simd/text.h"

// --- Text in other text --------------------------------------------------------------------------

// Searches for text in other text: two of its bytes are compared at many places at once, and all of
// it only where both match. The choice of the two bytes only affects the speed.

struct text_needle {
    const char *text;
    size_t length;        // at least 1
    size_t first, second; // indexes of the two bytes compared
};

// The first occurrence of the needle in [from, end), or NULL: the scalar reference.
static inline const char *needle_find(const char *from, const char *end,
                                      const struct text_needle *needle)
{
    return memmem(from, (size_t)(end - from), needle->text, needle->length);
}

static ALWAYS_INLINE bool needle_is_at(const struct text_needle *needle, const char *place)
{
    return memcmp(place, needle->text, needle->length) == 0;
}

// Whether so many places matched only in both bytes that the C library is faster, whose time does
// not depend on the text.
static ALWAYS_INLINE bool needle_misses_much(size_t misses, size_t looked_at_bytes)
{
    return misses > 64 + looked_at_bytes / 32;
}

// --- Numbers -------------------------------------------------------------------------------------

// Properties of many numbers, and their running sums: the scalar reference.

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

// --- kernels.c -----------------------------------------------------------------------------------

struct kernels {
    // bitpack_pack.
    uint8_t *(*pack)(uint8_t *out, const uint64_t *values, size_t count, unsigned width,
                     uint64_t subtract);
    // bitpack_unpack.
    void (*unpack)(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out);
    // numbers_add_up.
    void (*add_up)(uint64_t *numbers, size_t count, uint64_t before);
    // numbers_extremes.
    struct extremes (*extremes)(const uint64_t *numbers, size_t count, uint64_t order);
    // numbers_steps.
    struct extremes (*steps)(const uint64_t *restrict numbers, size_t count,
                             uint64_t *restrict steps);
    // numbers_contain.
    bool (*contain)(const uint64_t *numbers, size_t count, uint64_t mask, uint64_t wanted);
    // numbers_within.
    bool (*within)(const uint64_t *numbers, size_t count, uint64_t min, uint64_t range);
    // needle_find.
    const char *(*find)(const char *from, const char *end, const struct text_needle *needle);
    // The functions of simd/text.h: for tests and measurements, as the loops over lines inline
    // them.
    uint64_t (*hex)(const char *text, size_t count);
    uint64_t (*decimal)(const char *text, size_t count);
    bool (*fits)(const struct text_pattern *pattern, const char *text);
    const char *(*newline)(const char *from, const char *end);
    uint64_t (*places)(const char *text, char c);
};

// The kernels for `simd`, which this machine must have.
const struct kernels *kernels_of(enum simd simd);

// Private to simd/ and its tests.
extern const struct kernels kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

#endif
