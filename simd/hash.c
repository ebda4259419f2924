#include "simd/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) == HASH_STATE_BYTES, "the same for every instruction set");

void hash_begin(struct hash_state *state)
{
    XXH3_64bits_reset((XXH3_state_t *)state);
}

void hash_add(struct hash_state *state, enum simd simd, const void *bytes, size_t size_bytes)
{
#ifdef SIMD_X86
    if (simd != SIMD_SCALAR) {
        hash_add_avx2(state, bytes, size_bytes);
        return;
    }
#endif
    (void)simd;
    XXH3_64bits_update((XXH3_state_t *)state, bytes, size_bytes);
}

uint64_t hash_end(const struct hash_state *state)
{
    return XXH3_64bits_digest((const XXH3_state_t *)state);
}
