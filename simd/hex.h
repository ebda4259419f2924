// Hexadecimal text to integer, eight digits a step, in plain registers: the scalar reference.
//
// Eight bytes are one word; a digit's low nibble is in its character, and letters (bit 6 set) add
// 9. Pairs of nibbles are then combined by shifts: the first digit is the most significant, and on
// a little-endian machine it is in the lowest byte.
#ifndef TRAWL_SIMD_HEX_H
#define TRAWL_SIMD_HEX_H

#include "base/base.h"

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

#endif
