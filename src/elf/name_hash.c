#include "elf/name_hash.h"

#include "base/hash_seed.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t fold(uint64_t value)
{
    value = (value & PRIME) + (value >> 61);
    return value >= PRIME ? value - PRIME : value;
}

struct name_hasher name_hasher_new(void)
{
    const struct hash_seed seed = hash_seed_new();
    return (struct name_hasher){{seed.mask >> 4, seed.factor >> 4}};
}

// value * point + byte, in its class but not yet below the prime. As points have 60 bits, a value
// below 2^63 stays there.
static ALWAYS_INLINE uint64_t take(uint64_t value, uint64_t point, uint64_t byte)
{
    unsigned __int128 product = (unsigned __int128)value * point;
    return ((uint64_t)product & PRIME) + (uint64_t)(product >> 61) + byte;
}

struct name_hash name_hash_before(const struct name_hasher *hasher, const char *text, size_t length,
                                  struct name_hash end)
{
    uint64_t first = end.values[0], second = end.values[1];
    while (length) {
        uint64_t byte = 1 + (uint64_t)(unsigned char)text[--length];
        first = take(first, hasher->points[0], byte);
        second = take(second, hasher->points[1], byte);
    }
    return (struct name_hash){{fold(first), fold(second)}};
}
