#include "simd/hash.h"

#ifdef SIMD_X86
#include <immintrin.h>
#include <stdlib.h>

SIMD_AVX2_BEGIN
#define XXH_VECTOR XXH_AVX2
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_avx2(const void *bytes, size_t size_bytes)
{
    return XXH3_64bits(bytes, size_bytes);
}
SIMD_END
#endif
