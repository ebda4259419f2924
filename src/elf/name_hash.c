#include "elf/name_hash.h"

#include "base/hash_seed.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t fold(uint64_t value)
{
    value = (value & PRIME) + (value >> 61);
    return value >= PRIME ? value - PRIME : value;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return fold(((uint64_t)product & PRIME) + (uint64_t)(product >> 61));
}

struct name_hasher name_hasher_new(void)
{
    const struct hash_seed seed = hash_seed_new();
    return (struct name_hasher){{fold(seed.mask), fold(seed.factor)}};
}

struct name_hash name_hash_before(const struct name_hasher *hasher, const char *text, size_t length,
                                  struct name_hash end)
{
    while (length) {
        uint64_t byte = 1 + (uint64_t)(unsigned char)text[--length];
        for (unsigned i = 0; i < 2; i++)
            end.values[i] = fold(multiply(end.values[i], hasher->points[i]) + byte);
    }
    return end;
}
