// The payload of one block of a column: up to COLUMN_BLOCK values, of which the least and the
// greatest are known, in whichever form takes the fewest bytes.
//
// A form is a shape, and a coding of the numbers that the shape leaves. The first byte says which:
//
//     bits 0-1  shape
//       plain    the numbers are the values
//       runs     each value is the one before it plus the stride, except where a run starts;
//                the numbers are the first values of the runs.
//                varint zigzag(stride), varint runs - 1, places of all runs but the first
//       steps    the numbers are the differences of neighbours; each BLOCK_ANCHOR-th value, from
//                the first on, is there too, so that few of them need adding.
//                varint zigzag(least difference), byte width of differences above it,
//                packed anchors - minimum
//     bit 2     1: dictionary: packed indices into a table of numbers
//               varint entries - 1, packed entries
//               0: offsets: packed number - base
//     bit 3     1: patched: some numbers stand apart, with 0 in their place.
//               (offsets only: varint base - least number, byte width)
//               varint patches, their places, packed patches
//
// then the packed indices or offsets. Numbers that stand in full (entries, patches, unpatched
// offsets) are relative to the least number, and as wide as the range needs: for values that is
// the block's minimum and range. Widths are those of simd/bitpack.h, places those of idx/bitset.h;
// each packed array starts at a byte.
//
// Functions that read trust no byte: what block_read gives lies between the extremes, as those that
// index by it rely on. block_get and block_search leave that to their caller, as it is one value.
#ifndef TRAWL_IDX_BLOCK_H
#define TRAWL_IDX_BLOCK_H

#include "simd/kernels.h"

#define BLOCK_COUNT_MAX 1024
#define BLOCK_ANCHOR 32
#define BLOCK_DICTIONARY_MAX 256

enum block_shape { BLOCK_PLAIN, BLOCK_RUNS, BLOCK_STEPS };
enum { BLOCK_SHAPE_MASK = 3, BLOCK_IS_DICTIONARY = 4, BLOCK_IS_PATCHED = 8 };

// What block_write may write to.
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

// Value `i`, which is below the count; it may lie outside of the extremes. False: damage.
bool block_get(const struct block *block, unsigned i, uint64_t *value);

// The `count` values from `from` on, all of which exist. False: damage, or one lies outside of the
// extremes.
bool block_read(const struct block *block, unsigned from, unsigned count, uint64_t *out);

// The place of the first value above `x` among [from, to), which exist and do not decrease, or
// `to`, and in *before, if that is not `from`, the value before it. False: damage.
bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place, uint64_t *before);

#endif
