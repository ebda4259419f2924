// A column: an immutable sequence of 64-bit numbers, packed in blocks of COLUMN_BLOCK.
//
// A column is a range of bytes that holds no addresses and needs no alignment:
//
//     check     4 bytes, of all that follows up to the payloads, or of all when they are short
//     widths    bytes of a directory entry's minimum (low 4 bits) and range (high 4 bits)
//     widths    bytes of a directory entry's payload start (low 4 bits); is-short flag (bit 4)
//     count     of values; varint
//     payloads  how many bytes they take together; varint
//     base      the least value; varint
//     directory one entry a block: minimum - base, maximum - minimum, start of the payload, all of
//               the widths above, and a check of 4 bytes of the payload unless it is short
//     payloads  of the blocks (idx/block.h); a block of equal values has none
//
// The directory is checked when a column is opened, a payload before it is first decoded. No bytes
// can make a function here fail other than by returning false, and no function takes more time than
// the existing bytes justify. Several threads may read.
#ifndef TRAWL_IDX_COLUMN_H
#define TRAWL_IDX_COLUMN_H

#include "base/base.h"
#include "base/error.h"
#include "base/vec.h"
#include "simd/kernels.h"

// --- The head ------------------------------------------------------------------------------------

// Shared by the writer and the reader of columns: the head, whose layout is in column.h, and the
// check.

#define COLUMN_CHECK_BYTES 4

// The shortest and longest head: check, widths, three varints.
#define COLUMN_HEAD_BYTES_MIN 9
#define COLUMN_HEAD_BYTES_MAX 36

// If all payloads together have at most this many bytes, they have no checks of their own: hashing
// them takes no longer than finding out whether they were checked.
#define COLUMN_SHORT_BYTES 256

struct column_head {
    uint64_t count;
    uint64_t payload_bytes;
    uint64_t base;
    uint8_t min_bytes, range_bytes, start_bytes; // 0 to 8
    bool is_short;
};

// The check of these bytes.
uint32_t column_check(const uint8_t *bytes, size_t count);

// Whether it equals the stored one. Always true in builds for fuzzing, because damaged input would
// almost never pass this check.
bool column_check_fits(const uint8_t *stored, const uint8_t *bytes, size_t count);

// --- column.c ------------------------------------------------------------------------------------

// Values in a block; the last block of a column may have fewer.
#define COLUMN_BLOCK 1024

#define COLUMN_COUNT_MAX (UINT64_C(1) << 48)

struct column {
    const struct kernels *kernels;
    const uint8_t *bytes;    // owned by the caller; must exist as long as the column is used
    const uint8_t *entries;  // of the directory
    const uint8_t *payloads; // of all blocks
    const uint8_t *end;      // of the column
    uint64_t size_bytes;     // end - bytes
    uint64_t count;          // of values
    uint64_t block_count;
    uint64_t base; // the least value
    uint8_t min_bytes, range_bytes, start_bytes, check_bytes, entry_bytes;
    // One bit for each block, initially 0, set after its payload has been checked. The caller owns
    // these column_verified_words words, sets this field after column_open, and shares them among
    // all readers of the column. NULL: every access checks.
    uint64_t *verified;
};

// Appends the column of `count` values to `out`. The bytes depend only on the values; `simd` only
// affects speed. False: no memory; `out` is then unchanged.
bool column_write(struct bytes *out, enum simd simd, const uint64_t *values, size_t count);

// Values that are computed block by block, so that they need not all be in memory.
struct column_source {
    void *self;
    // Returns `count` values from number `from` on, in `room` or elsewhere.
    const uint64_t *(*block)(void *self, size_t from, size_t count, uint64_t room[COLUMN_BLOCK]);
};

bool column_write_from(struct bytes *out, enum simd simd, const struct column_source *source,
                       size_t count);

// Opens the column at the start of `bytes`, of which `available` can be read. size_bytes is then
// the size of the column. `simd` is used for reading. STATUS_DAMAGED: this is not a column, or its
// directory is damaged.
enum status column_open(struct column *column, enum simd simd, const uint8_t *bytes,
                        size_t available, struct error *err);

// The number of words that `verified` needs. It is 0 if nothing is left to check; such a column may
// have more blocks than fit into memory.
static inline uint64_t column_verified_words(const struct column *column)
{
    return column->check_bytes ? (column->block_count + 63) / 64 : 0;
}

// Whether the column has enough bytes for its number of different values. A block of different
// values has a payload; without one, the count proves nothing.
static inline bool column_may_rise(const struct column *column)
{
    uint64_t payload_bytes = (uint64_t)(column->end - column->payloads);
    // The last block may have a single value.
    return column->count <= 1 || column->block_count <= payload_bytes + 1;
}

// The least and greatest value of block `block` (values from block * COLUMN_BLOCK on), without
// reading its payload. False: no such block, or damage.
bool column_block_range(const struct column *column, uint64_t block, uint64_t *min, uint64_t *max);

// Value `i`. False: no such value, or damage, including a value that is not between the least and
// greatest of its block in the directory. The same applies to the functions below.
bool column_get(const struct column *column, uint64_t i, uint64_t *value);

// The `count` values from `from` on. False: there are fewer, or damage; `out` is then undefined.
bool column_read(const struct column *column, uint64_t from, size_t count, uint64_t *out);

// The same for values that must strictly ascend.
bool column_read_rising(const struct column *column, uint64_t from, size_t count, uint64_t *out);

// The place of the first of the values [from, to) that is greater than `x`; `to` if there is none.
// The values must not decrease. So the last value at or before x is at *place - 1, unless *place is
// `from`. False: no such range, or damage. If values do decrease, *place is some place in the
// range.
bool column_search(const struct column *column, uint64_t from, uint64_t to, uint64_t x,
                   uint64_t *place);

// The same. Unless *place is `from`, *before is the value before that place: the greatest that is
// not above `x`. Even in a damaged column, it is not above `x`.
bool column_find(const struct column *column, uint64_t from, uint64_t to, uint64_t x,
                 uint64_t *place, uint64_t *before);

// Decodes and checks everything regardless of `verified`, including that each block's minimum and
// maximum are those of its values.
enum status column_verify(const struct column *column, struct error *err);

#endif
