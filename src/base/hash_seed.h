// Hash tables whose keys come from files: the author of a file must not be able to choose keys that
// all get the same slot. So each table uses its own function, chosen at random when the table gets
// its first slots. No output may depend on it: tables are only used for lookups, never traversed in
// the order of slots.
#ifndef TRAWL_BASE_HASH_SEED_H
#define TRAWL_BASE_HASH_SEED_H

#include "base/base.h"

struct hash_seed {
    uint64_t mask, factor; // `factor` is odd
};

struct hash_seed hash_seed_new(void);

// All 64 bits are equally good: the halves of the product are added, so that every bit of the key
// affects every bit of the hash.
static ALWAYS_INLINE uint64_t hash_key(const struct hash_seed *seed, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)(key ^ seed->mask) * seed->factor;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

// For a key with two parts.
static ALWAYS_INLINE uint64_t hash_keys(const struct hash_seed *seed, uint64_t first,
                                        uint64_t second)
{
    return hash_key(seed, hash_key(seed, first) ^ second);
}

// For a key and a text.
static inline uint64_t hash_text(const struct hash_seed *seed, uint64_t first, const char *text)
{
    for (; *text; text++)
        first = hash_keys(seed, first, (unsigned char)*text);
    return hash_key(seed, first);
}

#endif
