// The hashes of the blocks of a trace (base/fingerprint.h), computed step by step after the reader
// of a chunk: the bytes that were just read are in the cache, so they are fetched from memory only
// once; hashing mainly waits for memory.
#ifndef TRAWL_TRACE_LINES_BLOCK_HASHES_H
#define TRAWL_TRACE_LINES_BLOCK_HASHES_H

#include "base/source.h"
#include "simd/hash.h"

struct block_hashes {
    struct hash_state state;
    const char *trace;
    uint64_t size_bytes; // of the trace
    uint64_t at, end;    // offsets in the trace: what is hashed next, and where the last block ends
    uint64_t *hashes;    // of all blocks of the trace
    enum simd simd;
};

// Begins with the blocks whose middles are in the chunk: so whatever the chunks are, each block is
// hashed once, and most of it where it is read.
void block_hashes_begin(struct block_hashes *blocks, const struct source *source,
                        const struct source_chunk *chunk, uint64_t *hashes, enum simd simd);

// Hashes everything before `up_to` in the trace.
void block_hashes_go_on(struct block_hashes *blocks, uint64_t up_to);

// Hashes the rest of the chunk's blocks.
void block_hashes_end(struct block_hashes *blocks);

#endif
