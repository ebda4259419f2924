// The hashes of the pieces of a trace (base/fingerprint.h), taken step by step after the reader of
// a chunk: bytes that were just read are in the cache, and memory, which is what hashing waits for,
// is asked for them once.
#ifndef TRAWL_TRACE_TARMAC_PIECE_HASHES_H
#define TRAWL_TRACE_TARMAC_PIECE_HASHES_H

#include "base/source.h"
#include "simd/hash.h"

struct piece_hashes {
    struct hash_state state;
    const char *trace;
    uint64_t size_bytes; // of the trace
    uint64_t at, end;    // in the trace: what is hashed next, and where the last piece ends
    uint64_t *hashes;    // of all pieces of the trace
    enum simd simd;
};

// Begins with the pieces whose middles are in the chunk: whatever the chunks are, each piece is
// hashed once, and most of it where it is read.
void piece_hashes_begin(struct piece_hashes *pieces, const struct source *source,
                        const struct source_chunk *chunk, uint64_t *hashes, enum simd simd);

// Hashes what is before `up_to` in the trace.
void piece_hashes_go_on(struct piece_hashes *pieces, uint64_t up_to);

// Hashes the rest of the chunk's pieces.
void piece_hashes_end(struct piece_hashes *pieces);

#endif
