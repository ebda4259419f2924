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
#ifndef TRAWL_IDX_BLOCK_FORMAT_H
#define TRAWL_IDX_BLOCK_FORMAT_H

#define BLOCK_COUNT_MAX 1024
#define BLOCK_ANCHOR 32
#define BLOCK_DICTIONARY_MAX 256

enum block_shape { BLOCK_PLAIN, BLOCK_RUNS, BLOCK_STEPS };
enum { BLOCK_SHAPE_MASK = 3, BLOCK_IS_DICTIONARY = 4, BLOCK_IS_PATCHED = 8 };

#endif
