// XXH3 of 64 bits for long runs of bytes: with AVX2 twice as fast. (The memory is what limits it
// then, so AVX-512 gains nothing.)
#ifndef TRAWL_SIMD_HASH_H
#define TRAWL_SIMD_HASH_H

#include "simd/simd.h"

#define HASH_STATE_BYTES 576

// The state of hashing bytes that come in parts.
struct hash_state {
    _Alignas(64) unsigned char bytes[HASH_STATE_BYTES];
};

void hash_begin(struct hash_state *state);

// Adds bytes, by an instruction set that this machine has.
void hash_add(struct hash_state *state, enum simd simd, const void *bytes, size_t size_bytes);

// XXH3_64bits of all that was added.
uint64_t hash_end(const struct hash_state *state);

// Private to simd/.
void hash_add_avx2(struct hash_state *state, const void *bytes, size_t size_bytes);

#endif
