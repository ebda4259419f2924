// Random numbers for property tests: the same on every machine for the same seed.
#ifndef TRAWL_TESTS_UNIT_RANDOM_H
#define TRAWL_TESTS_UNIT_RANDOM_H

#include "base/base.h"

// splitmix64; any seed is suitable.
struct prng {
    uint64_t state;
};

static inline uint64_t prng_next(struct prng *prng)
{
    uint64_t mixed = prng->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

// A number below `bound`, which must not be 0.
static inline uint32_t prng_below(struct prng *prng, uint32_t bound)
{
    return (uint32_t)((prng_next(prng) >> 32) % bound);
}

static inline bool prng_percent(struct prng *prng, uint32_t chance)
{
    return prng_below(prng, 100) < chance;
}

#endif
