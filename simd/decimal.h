// Decimal text to integer, eight digits a step, in plain registers.
//
// Eight bytes are one word with the first digit, the most significant, in the lowest byte of a
// little-endian machine. Neighbours are combined by one multiplication per step: digits to pairs,
// pairs to fours, fours to eight.
#ifndef TRAWL_SIMD_DECIMAL_H
#define TRAWL_SIMD_DECIMAL_H

#include "base/base.h"

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
