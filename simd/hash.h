// XXH3 of 64 bits for long runs of bytes: with AVX2 twice as fast. (The memory is what limits it
// then, so AVX-512 gains nothing.)
#ifndef TRAWL_SIMD_HASH_H
#define TRAWL_SIMD_HASH_H

#include "simd/simd.h"

// XXH3_64bits, by an instruction set that this machine has.
uint64_t hash_bytes(enum simd simd, const void *bytes, size_t size_bytes);

// Private to simd/.
uint64_t hash_avx2(const void *bytes, size_t size_bytes);

#endif
