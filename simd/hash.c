#include "simd/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(enum simd simd, const void *bytes, size_t size_bytes)
{
#ifdef SIMD_X86
    if (simd != SIMD_SCALAR)
        return hash_avx2(bytes, size_bytes);
#endif
    (void)simd;
    return XXH3_64bits(bytes, size_bytes);
}
