// The coding of a block's numbers (idx/block_format.h): offsets or a dictionary, possibly patched.
#ifndef TRAWL_IDX_NUMBERS_H
#define TRAWL_IDX_NUMBERS_H

#include "idx/bitset.h"
#include "idx/block_format.h"
#include "simd/kernels.h"

// Bytes that are read from front to back.
struct cursor {
    const struct kernels *kernels;
    const uint8_t *at, *end;
    const uint8_t *last; // as for bitpack_get
};

struct numbers {
    const struct kernels *kernels;
    const uint8_t *packed; // indices or offsets
    unsigned count;
    unsigned width;
    uint64_t min;  // the least number
    uint64_t base; // added to offsets
    // The largest allowed distance of a number from `min`, if known: numbers read that are beyond
    // it are damage. UINT64_MAX: unknown.
    uint64_t range;
    unsigned full_width;
    unsigned entry_count;   // of the dictionary; 0: none
    const uint8_t *entries; // offsets from `min`, of the full width
    struct bitset patched;  // of patches
    const uint8_t *patches; // like entries
    const uint8_t *last;
};

// Reads `count` numbers, coded according to `form`, which must end at the end of the cursor.
bool numbers_open(struct numbers *numbers, struct cursor *cursor, unsigned form, unsigned count,
                  uint64_t min, unsigned full_width, uint64_t range);

// Does what the kernel does; for so few numbers it is faster here than the call of the kernel.
#define WITHIN_FEW 16

static ALWAYS_INLINE bool are_numbers_within(const struct kernels *kernels, const uint64_t *numbers,
                                             unsigned count, uint64_t min, uint64_t range)
{
    if (count > WITHIN_FEW)
        return kernels->within(numbers, count, min, range);
    bool is_beyond = false;
    for (unsigned i = 0; i < count; i++)
        is_beyond |= numbers[i] - min > range;
    return !is_beyond;
}

// The largest possible distance of a number from `min`, derived only from the widths.
uint64_t numbers_reach(const struct numbers *numbers);

// Number `i`, which is below the count; it may be outside of the range.
bool numbers_get(const struct numbers *numbers, unsigned i, uint64_t *value);

// The sum of `count` (at most BLOCK_ANCHOR) numbers from `from` on, all of which exist.
bool numbers_sum(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *sum);

// Reads `count` numbers from `from` on, all of which exist. False if one is outside of the range.
bool numbers_read(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out);

// Skips `bytes` bytes and returns where they are; NULL if there are not as many.
static inline const uint8_t *cursor_take(struct cursor *cursor, size_t bytes)
{
    if (bytes > (size_t)(cursor->end - cursor->at))
        return NULL;
    cursor->at += bytes;
    return cursor->at - bytes;
}

// Reads a byte that must be a width of simd/bitpack.h.
bool cursor_take_width(struct cursor *cursor, unsigned *width);

#endif
