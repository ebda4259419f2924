// Text whose columns are known, and the loops over characters written for each instruction set:
// simd/text.inc, which is included in a region (simd/simd.h). It provides inlined functions with
// bit-identical results:
//
//     uint64_t text_hex(const char *text, size_t count)       hex_up_to_sixteen
//     uint64_t text_decimal(const char *text, size_t count)   decimal_up_to_sixteen
//     bool text_fits(const struct text_pattern *pattern, const char *text)
//                                                             text_fits_pattern, below
//     uint64_t text_places(const char *text, char c)          text_places_of, below
//     const char *text_newline(const char *from, const char *end)
//                                                             memchr of a newline in [from, end)
#ifndef TRAWL_SIMD_TEXT_H
#define TRAWL_SIMD_TEXT_H

#include "base/base.h"

// --- Digits --------------------------------------------------------------------------------------

// Hexadecimal text to integer, eight digits a step, in plain registers: the scalar reference.
//
// Eight bytes are one word; a digit's low nibble is in its character, and letters (bit 6 set) add
// 9. Pairs of nibbles are then combined by shifts: the first digit is the most significant, and on
// a little-endian machine it is in the lowest byte.

// The value of eight hex digits, or of fewer after bytes of zero.
static ALWAYS_INLINE uint32_t hex_of_word(uint64_t word)
{
    uint64_t letters = (word >> 6) & UINT64_C(0x0101010101010101);
    uint64_t nibbles = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) + letters * 9;
    uint64_t pairs = ((nibbles << 4) | (nibbles >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    uint64_t fours = ((pairs << 8) | (pairs >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(fours << 16 | fours >> 32);
}

// The value of the eight hex digits at `text`, which are known to be hex digits.
static ALWAYS_INLINE uint32_t hex_eight(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return hex_of_word(word);
}

// The value of 1 to 16 hex digits. Sixteen bytes are read.
static ALWAYS_INLINE uint64_t hex_up_to_sixteen(const char *text, size_t length)
{
    uint64_t head;
    memcpy(&head, text, sizeof head);
    if (length <= 8)
        return hex_of_word(head << (64 - 8 * length));
    uint64_t tail;
    memcpy(&tail, text + 8, sizeof tail);
    size_t rest = length - 8;
    return (uint64_t)hex_of_word(head) << (4 * rest) | hex_of_word(tail << (64 - 8 * rest));
}

// The value of at most sixteen hex digits.
static ALWAYS_INLINE uint64_t hex_sixteen(const char *text, size_t length)
{
    uint64_t value = 0;
    for (; length >= 8; text += 8, length -= 8)
        value = value << 32 | hex_eight(text);
    for (; length; text++, length--) {
        uint64_t c = (uint8_t)*text;
        value = value << 4 | ((c & 15) + (c >> 6) * 9);
    }
    return value;
}

// --- text.h --------------------------------------------------------------------------------------

// The most columns of a pattern. This many bytes must be readable of a text that is compared with
// it.
#define TEXT_COLUMNS 128

// Columns that are compared at once.
#define TEXT_BLOCK_BYTES 32

// A character fits its column if it is in `low` to `low` + `range`, or a letter a to f in either
// case unless `no_letters` is ff.
struct text_pattern {
    _Alignas(64) uint8_t low[TEXT_COLUMNS];
    uint8_t range[TEXT_COLUMNS];
    uint8_t no_letters[TEXT_COLUMNS];
    uint64_t letters[TEXT_COLUMNS / 64]; // a bit for each column that accepts letters
    uint8_t block_bytes;                 // of blocks with columns to compare
};

// Initializes `columns` columns that accept anything.
static inline void text_pattern_init(struct text_pattern *pattern, size_t columns)
{
    *pattern = (struct text_pattern){0};
    memset(pattern->range, UINT8_MAX, sizeof pattern->range);
    memset(pattern->no_letters, UINT8_MAX, sizeof pattern->no_letters);
    pattern->block_bytes =
        (uint8_t)((columns + TEXT_BLOCK_BYTES - 1) / TEXT_BLOCK_BYTES * TEXT_BLOCK_BYTES);
}

static inline void text_pattern_set(struct text_pattern *pattern, size_t column, uint8_t low,
                                    uint8_t range, bool has_letters)
{
    uint64_t bit = UINT64_C(1) << column % 64, *letters = &pattern->letters[column / 64];
    pattern->low[column] = low;
    pattern->range[column] = range;
    pattern->no_letters[column] = has_letters ? 0 : UINT8_MAX;
    *letters = has_letters ? *letters | bit : *letters & ~bit;
}

// A block of columns, which the compiler maps to the registers of the instruction set.
typedef uint8_t text_block __attribute__((vector_size(TEXT_BLOCK_BYTES)));

// Whether every column fits: the scalar reference.
static ALWAYS_INLINE bool text_fits_pattern(const struct text_pattern *pattern, const char *text)
{
    text_block misfit = {0}, bytes, low, range, no_letters;
    uint64_t words[TEXT_BLOCK_BYTES / 8];
    for (size_t at = 0; at < pattern->block_bytes; at += TEXT_BLOCK_BYTES) {
        memcpy(&bytes, text + at, sizeof bytes);
        memcpy(&low, pattern->low + at, sizeof low);
        memcpy(&range, pattern->range + at, sizeof range);
        memcpy(&no_letters, pattern->no_letters + at, sizeof no_letters);
        misfit |= (text_block)(bytes - low > range) &
                  ((text_block)((bytes | 0x20) - 'a' > 5) | no_letters);
    }
    memcpy(words, &misfit, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
}

// A bit for each of the 64 characters at `text`, set where it is `c`: the scalar reference.
static ALWAYS_INLINE uint64_t text_places_of(const char *text, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;
    uint64_t places = 0;
    for (size_t i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, text + 8 * i, sizeof word);
        word ^= ones * (uint8_t)c; // zero where it is
        const uint64_t is = ~(((word & low) + low) | word | low) >> 7;
        places |= is * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return places;
}

// Decimal text to integer, eight digits a step, in plain registers.
//
// Eight bytes are one word with the first digit, the most significant, in the lowest byte of a
// little-endian machine. Neighbours are combined by one multiplication per step: digits to pairs,
// pairs to fours, fours to eight.

// The value of eight digits, or of fewer after bytes of zero.
static ALWAYS_INLINE uint64_t decimal_of_word(uint64_t word)
{
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

// The value of 1 to 16 decimal digits. Sixteen bytes are read.
static ALWAYS_INLINE uint64_t decimal_up_to_sixteen(const char *text, size_t length)
{
    uint64_t head, tail;
    memcpy(&head, text, sizeof head);
    if (LIKELY(length <= 8))
        return decimal_of_word(head << (64 - 8 * length));
    memcpy(&tail, text + 8, sizeof tail);
    // Shifts the digits so that the last eight are in one word.
    unsigned shift = (unsigned)(8 * (length - 8));
    uint64_t first = shift == 64 ? head : head << (64 - shift);
    uint64_t last = shift == 64 ? tail : head >> shift | tail << (64 - shift);
    return decimal_of_word(first) * 100000000 + decimal_of_word(last);
}

#endif
