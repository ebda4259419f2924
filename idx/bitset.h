// A set of places within a block: packed ascending numbers or, if that is shorter, a bitmap with
// the rank of each of its words. The number of places determines which.
#ifndef TRAWL_IDX_BITSET_H
#define TRAWL_IDX_BITSET_H

#include "simd/bitpack.h"

#include <limits.h>

#define BITSET_UNIVERSE_MAX 1024

// The bits of a rank, which is at most BITSET_UNIVERSE_MAX.
#define BITSET_RANK_BITS 11

struct bitset {
    const uint8_t *at;
    const uint8_t *last; // as for bitpack_get
    unsigned count;
    unsigned words; // of the bitmap, 0: numbers
    unsigned width; // of a number
};

// The places of `count` among `universe` values, at `at`.
static ALWAYS_INLINE struct bitset bitset_make(const uint8_t *at, unsigned count, unsigned universe,
                                               const uint8_t *last)
{
    struct bitset set = {.at = at, .last = last, .count = count};
    set.width = bitpack_width(universe - 1);
    set.words = (universe + 63) / 64;
    size_t bitmap_bits = set.words * (64 + BITSET_RANK_BITS);
    if ((size_t)count * set.width <= bitmap_bits)
        set.words = 0;
    return set;
}

static ALWAYS_INLINE size_t bitset_bytes(const struct bitset *set)
{
    return set->words ? 8 * set->words + bitpack_bytes(set->words, BITSET_RANK_BITS)
                      : bitpack_bytes(set->count, set->width);
}

static ALWAYS_INLINE unsigned bitset_number(const struct bitset *set, unsigned i)
{
    return (unsigned)bitpack_get(set->at, i, set->width, set->last);
}

// The number of places at or before `i`, which is in the universe. Damaged bytes give wrong
// results, but never more than the count.
static ALWAYS_INLINE unsigned bitset_rank(const struct bitset *set, unsigned i)
{
    if (set->words) {
        unsigned word = i / 64, rank;
        rank = (unsigned)bitpack_get(set->at + 8 * set->words, word, BITSET_RANK_BITS, set->last);
        rank += u64_ones(bitpack_load(set->at + 8 * word) << (63 - i % 64));
        return rank < set->count ? rank : set->count;
    }
    return (unsigned)bitpack_search(set->at, 0, set->count, set->width, set->last, i);
}

// The last place at or before `i`; 0 if there is none. `rank` is the number of places up to `i`.
// The result is at most `i`.
static ALWAYS_INLINE unsigned bitset_before(const struct bitset *set, unsigned i, unsigned rank)
{
    if (rank == 0)
        return 0;
    if (set->words == 0) {
        unsigned place = bitset_number(set, rank - 1);
        return place < i ? place : i;
    }
    unsigned word = i / 64;
    uint64_t bits = bitpack_load(set->at + 8 * word) << (63 - i % 64);
    if (bits)
        return i - (unsigned)__builtin_clzll(bits);
    while (word && bits == 0)
        bits = bitpack_load(set->at + 8 * --word);
    return bits ? 64 * word + 63 - (unsigned)__builtin_clzll(bits) : 0;
}

// Place number `i`, which is below the count. Damaged bytes give a wrong place in the universe.
static inline unsigned bitset_select(const struct bitset *set, unsigned i, unsigned universe)
{
    if (set->words == 0) {
        unsigned place = bitset_number(set, i);
        return place < universe ? place : universe - 1;
    }
    const uint8_t *ranks = set->at + 8 * set->words;
    unsigned word =
        (unsigned)bitpack_search(ranks, 1, set->words, BITSET_RANK_BITS, set->last, i) - 1;
    unsigned rank = (unsigned)bitpack_get(ranks, word, BITSET_RANK_BITS, set->last);
    uint64_t bits = bitpack_load(set->at + 8 * word);
    for (; rank < i && bits; rank++)
        bits &= bits - 1;
    unsigned place = 64 * word + (bits ? (unsigned)__builtin_ctzll(bits) : 0);
    return place < universe ? place : universe - 1;
}

// Writes the places in [from, to), a range of the universe, to `out`, which must be large enough,
// and the rank of the first one to *first. Returns their number, or UINT_MAX if they do not ascend
// or are more than the count.
static inline unsigned bitset_read(const struct bitset *set, unsigned from, unsigned to,
                                   unsigned *first, uint16_t *out)
{
    unsigned count = 0;
    *first = from ? bitset_rank(set, from - 1) : 0;
    if (from >= to)
        return 0;
    if (set->words == 0) {
        for (unsigned i = *first; i < set->count; i++) {
            unsigned place = bitset_number(set, i);
            if (place >= to)
                break;
            if (place < from)
                return UINT_MAX;
            out[count++] = (uint16_t)place;
            from = place + 1;
        }
        return count;
    }
    for (unsigned word = from / 64; word <= (to - 1) / 64; word++) {
        uint64_t bits = bitpack_load(set->at + 8 * word);
        if (word == from / 64)
            bits &= UINT64_MAX << from % 64;
        if (word == (to - 1) / 64)
            bits &= UINT64_MAX >> (63 - (to - 1) % 64);
        for (; bits; bits &= bits - 1)
            out[count++] = (uint16_t)(64 * word + (unsigned)__builtin_ctzll(bits));
    }
    return count <= set->count - *first ? count : UINT_MAX;
}

// Writes ascending places below `universe`; returns the end. May write BITPACK_SLACK_BYTES more
// than that.
static inline uint8_t *bitset_write(uint8_t *out, const uint16_t *numbers, unsigned count,
                                    unsigned universe)
{
    struct bitset set = bitset_make(out, count, universe, out);
    uint64_t wide[BITSET_UNIVERSE_MAX], ranks[BITSET_UNIVERSE_MAX / 64];
    uint64_t bitmap[BITSET_UNIVERSE_MAX / 64] = {0};
    if (set.words == 0) {
        for (unsigned i = 0; i < count; i++)
            wide[i] = numbers[i];
        return bitpack_pack(out, wide, count, set.width, 0);
    }
    for (unsigned i = 0; i < count; i++)
        bitmap[numbers[i] / 64] |= UINT64_C(1) << numbers[i] % 64;
    unsigned rank = 0;
    for (unsigned word = 0; word < set.words; word++) {
        bitpack_store(out + 8 * word, bitmap[word]);
        ranks[word] = rank;
        rank += u64_ones(bitmap[word]);
    }
    return bitpack_pack(out + 8 * set.words, ranks, set.words, BITSET_RANK_BITS, 0);
}

#endif
