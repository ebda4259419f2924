// Consecutive numbers of a fixed width in bits, lowest bits first: the scalar reference.
//
// Value i of width w takes the bits [i * w, (i + 1) * w) of the packed bytes. One unaligned load of
// eight bytes contains any value of at most 56 bits, so 57 to 63 are not used: bitpack_width rounds
// them up to 64, whose values start at bytes. No step depends on data or branches.
#ifndef TRAWL_SIMD_BITPACK_H
#define TRAWL_SIMD_BITPACK_H

#include "base/base.h"

// The greatest width except 64.
#define BITPACK_WIDTH_MAX 56

// What bitpack_pack may write after the packed bytes.
#define BITPACK_SLACK_BYTES 8

static ALWAYS_INLINE uint64_t bitpack_load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static ALWAYS_INLINE void bitpack_store(uint8_t *at, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, sizeof word);
}

// The width that holds every number up to `max`: 0 to 56, or 64.
static ALWAYS_INLINE unsigned bitpack_width(uint64_t max)
{
    unsigned width = max ? 64 - (unsigned)__builtin_clzll(max) : 0;
    return width > BITPACK_WIDTH_MAX ? 64 : width;
}

// The largest number of `width` bits.
static ALWAYS_INLINE uint64_t bitpack_max(unsigned width)
{
    return width ? UINT64_MAX >> (64 - width) : 0;
}

// How many bytes `count` numbers take; `count` is below 2^58.
static ALWAYS_INLINE size_t bitpack_bytes(size_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

// The number from bit `bit` of `packed` on, as wide as `mask`. `last` is the last place from which
// eight bytes can be loaded: at the end of the memory, the load moves down and the shift grows, so
// no padding is needed.
static ALWAYS_INLINE uint64_t bitpack_get_at(const uint8_t *packed, size_t bit, uint64_t mask,
                                             const uint8_t *last)
{
    const uint8_t *at = packed + (bit >> 3);
    size_t shift = bit & 7;
    if (UNLIKELY(at > last)) {
        shift += 8 * (size_t)(at - last);
        at = last;
    }
    return bitpack_load(at) >> (shift & 63) & mask;
}

// Number `i` of `packed`.
static ALWAYS_INLINE uint64_t bitpack_get(const uint8_t *packed, size_t i, unsigned width,
                                          const uint8_t *last)
{
    return bitpack_get_at(packed, i * width, bitpack_max(width), last);
}

// How many of `count` numbers from bit `bit` on can be loaded without checking the end of memory.
static ALWAYS_INLINE size_t bitpack_loadable(const uint8_t *packed, size_t bit, size_t count,
                                             unsigned width, const uint8_t *last)
{
    size_t end_bit = bit + count * width;
    if (LIKELY(packed + (end_bit >> 3) <= last))
        return count;
    size_t last_bit = packed <= last ? 8 * (size_t)(last - packed) : 0;
    return last_bit >= bit ? (last_bit - bit) / width : 0;
}

// out[i] = add + number i, of `count` numbers from bit `bit` of `packed` on.
static inline void bitpack_unpack(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                                  const uint8_t *last, uint64_t add, uint64_t *out)
{
    size_t i = 0;
    if (width == 0) {
        for (; i < count; i++)
            out[i] = add;
        return;
    }
    uint64_t mask = bitpack_max(width);
    size_t whole = bitpack_loadable(packed, bit, count, width, last);
    for (; i < whole; i++, bit += width)
        out[i] = add + (bitpack_load(packed + (bit >> 3)) >> (bit & 7) & mask);
    for (; i < count; i++, bit += width)
        out[i] = add + bitpack_get_at(packed, bit, mask, last);
}

// The sum of the `count` numbers from bit `bit` of `packed` on.
static inline uint64_t bitpack_sum(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                                   const uint8_t *last)
{
    uint64_t sum = 0, mask = bitpack_max(width);
    if (width == 0)
        return 0;
    size_t i = 0, whole = bitpack_loadable(packed, bit, count, width, last);
    for (; i < whole; i++, bit += width)
        sum += bitpack_load(packed + (bit >> 3)) >> (bit & 7) & mask;
    for (; i < count; i++, bit += width)
        sum += bitpack_get_at(packed, bit, mask, last);
    return sum;
}

// The first number above `x` among [from, to), which do not decrease; `to`: none. Searches by
// quarters, without branches on comparisons.
static inline size_t bitpack_search(const uint8_t *packed, size_t from, size_t to, unsigned width,
                                    const uint8_t *last, uint64_t x)
{
    uint64_t mask = bitpack_max(width);
    for (size_t part = (to - from) / 4; part; part = (to - from) / 4) {
        size_t bit = (from + part - 1) * width, step = part * width;
        size_t below = (size_t)(bitpack_get_at(packed, bit, mask, last) <= x) +
                       (bitpack_get_at(packed, bit + step, mask, last) <= x) +
                       (bitpack_get_at(packed, bit + 2 * step, mask, last) <= x);
        to -= (3 - below) * part;
        from += below * part;
    }
    size_t below = 0;
    for (size_t i = from; i < to; i++)
        below += bitpack_get_at(packed, i * width, mask, last) <= x;
    return from + below;
}

// The state of packing: bits that do not fill a byte yet.
struct bitpack_writer {
    uint8_t *out;
    uint64_t bits;
    unsigned filled;
};

// Appends a value of `width` bits, at most 56; no higher bits may be set.
static ALWAYS_INLINE void bitpack_put(struct bitpack_writer *writer, uint64_t bits, unsigned width)
{
    writer->bits |= bits << writer->filled;
    writer->filled += width;
    bitpack_store(writer->out, writer->bits);
    writer->out += writer->filled >> 3;
    writer->bits >>= writer->filled & ~7u;
    writer->filled &= 7;
}

// Packs values[i] - subtract, none of which may exceed `width` bits, and returns the end of the
// packed bytes. Unused bits of the last byte are zero; bytes after it may be overwritten. Each step
// waits for the previous one, so packing n numbers per step is nearly n times as fast.
static inline uint8_t *bitpack_pack(uint8_t *out, const uint64_t *values, size_t count,
                                    unsigned width, uint64_t subtract)
{
    struct bitpack_writer writer = {.out = out};
    size_t i = 0;
    if (width == 64) {
        for (; i < count; i++)
            bitpack_store(out + 8 * i, values[i] - subtract);
        return out + 8 * count;
    }
    if (width <= 14) {
        for (; i + 4 <= count; i += 4) {
            uint64_t low = (values[i] - subtract) | (values[i + 1] - subtract) << width;
            uint64_t high = (values[i + 2] - subtract) | (values[i + 3] - subtract) << width;
            bitpack_put(&writer, low | high << 2 * width, 4 * width);
        }
    }
    if (width <= 28) {
        for (; i + 2 <= count; i += 2)
            bitpack_put(&writer, (values[i] - subtract) | (values[i + 1] - subtract) << width,
                        2 * width);
    }
    for (; i < count; i++)
        bitpack_put(&writer, values[i] - subtract, width);
    bitpack_store(writer.out, writer.bits);
    return writer.out + (writer.filled != 0);
}

// --- Unpacking by vectors ------------------------------------------------------------------------

// The places of packed numbers (simd/bitpack.h), for vector code that unpacks them.
//
// Eight numbers take as many bytes as one takes bits, so all groups of eight have the same layout
// after their first byte: the bytes of number k, and how far to shift it down, are computed once
// for all groups. A shuffle moves the eight bytes of a number into its word; then a shift, a mask
// and an addition remain. The bytes of number 7 begin at most 49 bytes after those of number 0.

#define UNPACK_GROUP 8

_Static_assert((7 + (UNPACK_GROUP - 1) * BITPACK_WIDTH_MAX) / 8 + 8 <= 64, "a group in 64 bytes");

struct unpack_group {
    const uint8_t *at;            // where the first number begins
    size_t bytes[UNPACK_GROUP];   // where each begins, after `at`
    uint64_t shift[UNPACK_GROUP]; // by which bits are then moved down
};

static ALWAYS_INLINE struct unpack_group unpack_group_at(const uint8_t *packed, size_t bit,
                                                         unsigned width)
{
    struct unpack_group group = {.at = packed + bit / 8};
    for (size_t k = 0; k < UNPACK_GROUP; k++) {
        group.bytes[k] = (bit % 8 + k * width) / 8;
        group.shift[k] = (bit % 8 + k * width) % 8;
    }
    return group;
}

// For a shuffle of bytes: the eight bytes from `first` on.
static ALWAYS_INLINE uint64_t unpack_eight_from(size_t first)
{
    return UINT64_C(0x0706050403020100) + first * UINT64_C(0x0101010101010101);
}

// Whether a shuffle can do it, and there are enough numbers to be worth the setup.
static ALWAYS_INLINE bool unpack_by_groups(size_t count, unsigned width)
{
    return count >= 2 * UNPACK_GROUP && width - 1 < BITPACK_WIDTH_MAX;
}

#endif
