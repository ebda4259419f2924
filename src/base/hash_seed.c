#include "base/hash_seed.h"

#include <sys/random.h>
#include <time.h>

struct hash_seed hash_seed_new(void)
{
    struct hash_seed seed;
    struct timespec now = {0};
    // Early at boot there may be no random numbers yet. The address of our memory is also random.
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        seed.mask = (uintptr_t)&seed * UINT64_C(0x9e3779b97f4a7c15);
        seed.factor =
            ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) * UINT64_C(0xc2b2ae3d27d4eb4f);
    }
    seed.factor |= 1;
    return seed;
}
