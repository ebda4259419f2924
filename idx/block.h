// Writing and reading the payload of one block of a column (idx/block.h).
//
// Functions that read trust no byte. Values from block_read are between the extremes, because
// callers use them as indices. block_get and block_search return a single value and leave this
// check to their caller.
#ifndef TRAWL_IDX_BLOCK_H
#define TRAWL_IDX_BLOCK_H

#include "idx/bitset.h"
#include "simd/kernels.h"

// --- The layout ----------------------------------------------------------------------------------

// The layout of the payload of one block of a column: up to COLUMN_BLOCK values, whose least and
// greatest are known, in the form that takes the fewest bytes.
//
// A form consists of a shape and a coding of the numbers that remain. The first byte specifies
// both:
//
//     bits 0-1  shape
//       plain    the numbers are the values
//       runs     each value is the one before it plus the stride, except where a run starts;
//                the numbers are the first values of the runs.
//                varint zigzag(stride), varint runs - 1, places of all runs but the first
//       steps    the numbers are the differences of neighbours; each BLOCK_ANCHOR-th value, from
//                the first on, is stored too, so that few of them need be added.
//                varint zigzag(least difference), byte width of differences above it,
//                packed anchors - minimum
//     bit 2     1: dictionary: packed indices into a table of numbers
//               varint entries - 1, packed entries
//               0: offsets: packed number - base
//     bit 3     1: patched: some numbers are stored separately, with 0 in their place.
//               (offsets only: varint base - least number, byte width)
//               varint patches, their places, packed patches
//
// After this come the packed indices or offsets. Numbers that are stored completely (entries,
// patches, unpatched offsets) are relative to the least number and as wide as the range requires;
// for values these are the block's minimum and range. Widths are those of simd/bitpack.h, places
// those of idx/bitset.h; each packed array starts at a byte.

#define BLOCK_COUNT_MAX 1024
#define BLOCK_ANCHOR 32
#define BLOCK_DICTIONARY_MAX 256

enum block_shape { BLOCK_PLAIN, BLOCK_RUNS, BLOCK_STEPS };
enum { BLOCK_SHAPE_MASK = 3, BLOCK_IS_DICTIONARY = 4, BLOCK_IS_PATCHED = 8 };

// --- numbers.c -----------------------------------------------------------------------------------

// The coding of a block's numbers (idx/block.h): offsets or a dictionary, possibly patched.

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

// --- block.c -------------------------------------------------------------------------------------

// The number of bytes that block_write may write.
#define BLOCK_ROOM_BYTES (BLOCK_COUNT_MAX * 8 + 64)

struct block {
    const struct kernels *kernels;
    const uint8_t *payload;
    const uint8_t *end;  // of the payload
    const uint8_t *last; // the last place from which eight bytes can be loaded; may be past `end`
    uint64_t min, max;
    unsigned count;
};

// Writes `count` (2 to BLOCK_COUNT_MAX) values, not all equal, whose extremes are `min` and `max`.
// Returns the end of what was written.
uint8_t *block_write(uint8_t *out, const struct kernels *kernels, const uint64_t *values,
                     unsigned count, uint64_t min, uint64_t max);

// Value `i`, which is below the count; it may be outside the extremes. False: damage.
bool block_get(const struct block *block, unsigned i, uint64_t *value);

// The `count` values from `from` on, all of which exist. False: damage, or one is outside the
// extremes.
bool block_read(const struct block *block, unsigned from, unsigned count, uint64_t *out);

// The place of the first value above `x` among [from, to), all of which exist and do not decrease,
// or `to` if there is none. If that is not `from`, *before is the value before it. False: damage.
bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place, uint64_t *before);

#endif
