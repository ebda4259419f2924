#include "trace/tarmac/piece_hashes.h"

#include "base/fingerprint.h"

static uint64_t piece_end(uint64_t start, uint64_t size_bytes)
{
    return u64_min(start + FINGERPRINT_PIECE_BYTES, size_bytes);
}

// The start of the first piece whose middle is at or after `offset`. The middles of all pieces are
// before the end of the trace.
static uint64_t first_piece(uint64_t offset, uint64_t size_bytes)
{
    uint64_t start = offset / FINGERPRINT_PIECE_BYTES * FINGERPRINT_PIECE_BYTES;
    if (start == size_bytes)
        return start;
    uint64_t end = piece_end(start, size_bytes);
    return start + (end - start) / 2 < offset ? end : start;
}

void piece_hashes_begin(struct piece_hashes *pieces, const struct source *source,
                        const struct source_chunk *chunk, uint64_t *hashes, enum simd simd)
{
    uint64_t size_bytes = source_size_bytes(source);
    *pieces = (struct piece_hashes){
        .trace = source_bytes(source),
        .size_bytes = size_bytes,
        .at = first_piece(chunk->offset, size_bytes),
        .end = first_piece(chunk->offset + chunk->size_bytes, size_bytes),
        .hashes = hashes,
        .simd = simd,
    };
    hash_begin(&pieces->state);
}

void piece_hashes_go_on(struct piece_hashes *pieces, uint64_t up_to)
{
    up_to = u64_min(up_to, pieces->end);
    while (pieces->at < up_to) {
        uint64_t piece = pieces->at / FINGERPRINT_PIECE_BYTES;
        uint64_t end = piece_end(piece * FINGERPRINT_PIECE_BYTES, pieces->size_bytes);
        uint64_t next = u64_min(end, up_to);
        hash_add(&pieces->state, pieces->simd, pieces->trace + pieces->at,
                 (size_t)(next - pieces->at));
        pieces->at = next;
        if (next < end)
            return;
        pieces->hashes[piece] = hash_end(&pieces->state);
        hash_begin(&pieces->state);
    }
}

void piece_hashes_end(struct piece_hashes *pieces)
{
    piece_hashes_go_on(pieces, pieces->end);
}
