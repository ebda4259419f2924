// Writing and reading the payload of one block of a column (idx/block_format.h).
//
// Functions that read trust no byte. Values from block_read are between the extremes, because
// callers use them as indices. block_get and block_search return a single value and leave this
// check to their caller.
#ifndef TRAWL_IDX_BLOCK_H
#define TRAWL_IDX_BLOCK_H

#include "idx/block_format.h"
#include "simd/kernels.h"

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
