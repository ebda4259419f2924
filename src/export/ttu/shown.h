// Which bytes of memory were seen recently, so that a load of them adds nothing and most loads need
// no lookup. Forgetting is always correct.
#ifndef TRAWL_EXPORT_TTU_SHOWN_H
#define TRAWL_EXPORT_TTU_SHOWN_H

#include "base/base.h"

#define TTU_SHOWN_BITS 13

struct ttu_shown_word {
    uint64_t number; // address / 8
    uint8_t mask;    // of known or learned bytes
};

struct ttu_shown {
    struct ttu_shown_word words[1 << TTU_SHOWN_BITS];
};

// The bytes of [lo, hi] in one word, as a mask.
static inline uint8_t ttu_word_mask(uint64_t number, uint64_t lo, uint64_t hi)
{
    unsigned first = number == lo / 8 ? lo % 8 : 0, last = number == hi / 8 ? hi % 8 : 7;
    return (uint8_t)((0xffu << first) & (0xffu >> (7 - last)));
}

static inline struct ttu_shown_word *ttu_shown_word(struct ttu_shown *shown, uint64_t number)
{
    return &shown->words[number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TTU_SHOWN_BITS)];
}

static inline void ttu_shown_prefetch(struct ttu_shown *shown, uint64_t address)
{
    __builtin_prefetch(ttu_shown_word(shown, address / 8));
}

// Whether all of [lo, hi], at most a few words, was seen.
static inline bool ttu_shown_has(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        const struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        if (word->number != number || (word->mask & mask) != mask)
            return false;
    }
    return true;
}

static inline void ttu_shown_add(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        *word = (struct ttu_shown_word){
            number, (uint8_t)(word->number == number ? word->mask | mask : mask)};
    }
}

// Forgets [lo, hi], which is no longer known. For many words it is faster to forget everything.
static inline void ttu_shown_forget(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    if (hi / 8 - lo / 8 > 256) {
        memset(shown, 0, sizeof *shown);
        return;
    }
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        if (word->number == number)
            word->mask = 0;
    }
}

#endif
