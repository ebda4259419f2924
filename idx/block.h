// The payload of one block of a column: up to COLUMN_BLOCK values, of which the least and the
// greatest are known, in whichever of these codecs takes the fewest bytes.
//
// The first byte names the codec. Widths are those of simd/bitpack.h.
//
//     packed   value - minimum, of the width of the range
//     delta    for every 64 values the first of them, and the differences of the others
//
// Functions that read trust no byte.
#ifndef TRAWL_IDX_BLOCK_H
#define TRAWL_IDX_BLOCK_H

#include "base/base.h"

// What block_write may write to.
#define BLOCK_ROOM_BYTES (1024 * 8 + 1024)

struct block {
    const uint8_t *payload;
    const uint8_t *end;  // of the payload
    const uint8_t *last; // the last place from which eight bytes can be loaded; may be past `end`
    uint64_t min, max;
    unsigned count;
};

// Writes `count` (1 to COLUMN_BLOCK) values, not all equal, whose extremes are `min` and `max`.
// Returns the end of what was written.
uint8_t *block_write(uint8_t *out, const uint64_t *values, unsigned count, uint64_t min,
                     uint64_t max);

// Value `i`, which is below the count. False: damage.
bool block_get(const struct block *block, unsigned i, uint64_t *value);

// The `count` values from `from` on, all of which exist. False: damage.
bool block_read(const struct block *block, unsigned from, unsigned count, uint64_t *out);

// The place of the first value above `x` among [from, to), which exist and do not decrease, or
// `to`. False: damage.
bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place);

#endif
