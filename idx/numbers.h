// The coding of a block's numbers (idx/block_format.h): offsets or a dictionary, perhaps patched.
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
    uint64_t base; // what offsets are added to
    // How far above `min` a number may be, where that is known: what is read and is beyond is
    // damage. UINT64_MAX: anywhere.
    uint64_t range;
    unsigned full_width;
    unsigned entry_count;   // of the dictionary; 0: none
    const uint8_t *entries; // offsets from `min`, of the full width
    struct bitset patched;  // of patches
    const uint8_t *patches; // as entries
    const uint8_t *last;
};

// Takes `count` numbers, coded as `form` says, which must end where the cursor ends.
bool numbers_open(struct numbers *numbers, struct cursor *cursor, unsigned form, unsigned count,
                  uint64_t min, unsigned full_width, uint64_t range);

// The same as the kernel; of so few that calling it costs more than they do, here.
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

// How far above `min` any of the numbers can be, by their widths alone.
uint64_t numbers_reach(const struct numbers *numbers);

// Number `i`, which is below the count; it may be beyond the range.
bool numbers_get(const struct numbers *numbers, unsigned i, uint64_t *value);

// The sum of the `count` (at most BLOCK_ANCHOR) numbers from `from` on, all of which exist.
bool numbers_sum(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *sum);

// The `count` numbers from `from` on, all of which exist, and none of which is beyond the range.
bool numbers_read(const struct numbers *numbers, unsigned from, unsigned count, uint64_t *out);

// Moves over `bytes` bytes and returns where they are; NULL if they are not there.
static inline const uint8_t *cursor_take(struct cursor *cursor, size_t bytes)
{
    if (bytes > (size_t)(cursor->end - cursor->at))
        return NULL;
    cursor->at += bytes;
    return cursor->at - bytes;
}

// Takes a byte that is a width of simd/bitpack.h.
bool cursor_take_width(struct cursor *cursor, unsigned *width);

#endif
