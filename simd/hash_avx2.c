#include "simd/hash.h"

#ifdef SIMD_X86
#include <immintrin.h>
#include <stdlib.h>

SIMD_AVX2_BEGIN
#define XXH_VECTOR XXH_AVX2
#define XXH_INLINE_ALL
#include <xxhash.h>

void hash_add_avx2(struct hash_state *state, const void *bytes, size_t size_bytes)
{
    XXH3_64bits_update((XXH3_state_t *)state, bytes, size_bytes);
}
SIMD_END
#endif
