// A format of compressed files: how to recognize it, where decompression can start, and how to
// decompress.
//
// A file is a sequence of independent pieces, so that several can be decompressed at the same time.
// If a codec finds no pieces, the whole file is one.
#ifndef TRAWL_BASE_UNPACK_CODEC_H
#define TRAWL_BASE_UNPACK_CODEC_H

#include "base/base.h"

#include <stddef.h>

// A compressed file, mapped.
struct packed {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

// Where a piece begins and ends, in bytes; for bzip2, whose blocks begin at any bit, in bits.
struct piece {
    uint64_t from, to;
    uint8_t level;  // of a bzip2 stream: '1' to '9'; of lz4 blocks; of gzip; PIECE_INSIDE
    uint64_t frame; // of lz4 blocks: where their frame begins
};

// The level of a piece that begins inside a gzip member, at any bit.
#define PIECE_INSIDE 1

// The end of a piece that continues to the end of the file.
#define PIECE_REST UINT64_MAX

// Finds pieces, one after the other. All zero at first, except for the file.
struct splitter {
    const struct packed *packed;
    uint64_t at;       // where the next piece begins, in units of struct piece
    void *own;         // for the codec
    uint8_t level;     // of the current bzip2 stream
    uint32_t checksum; // of the blocks of that stream so far
    bool is_begun, is_ended;
};

enum unpack_result {
    UNPACK_MORE,      // there may be more
    UNPACK_END,       // the piece has ended
    UNPACK_DAMAGED,   // `fault` has the reason
    UNPACK_NO_MEMORY, // or the file needs more than LIMIT_UNPACK_MEMORY_BYTES
};

struct codec;

// A checksum of text, as the codec defines it, and its size.
struct text_sum {
    uint32_t checksum;
    uint64_t size_bytes;
};

// A place inside a piece where decompression can start, with the text before it.
struct unpack_point {
    uint8_t *window; // compressed, on the heap; NULL: there is no such place
    size_t window_bytes;
    size_t at;     // position in the text that was read with it
    uint64_t from; // bit of the file
};

// A piece that is being decompressed. The codec's own struct begins with it.
struct unpacker {
    const struct codec *codec;
    const struct packed *packed;
    uint64_t at, end;  // bytes of the file: the next to be read, and the end of the piece
    const char *fault; // continues "the compressed data"
    // Whether places inside the piece are wanted, and the latest one. The caller takes it after
    // each read.
    bool wants_points;
    struct unpack_point point;
    struct text_sum sum; // of the text so far; for codecs that check it over several pieces
};

// The state of a check over several pieces, for the reader that reads them in order: of an lz4
// frame or a gzip member. All zero at first.
struct piece_sums {
    void *state; // the codec's, freed by `sum_end`
    uint64_t size_bytes, frame;
    uint32_t checksum;
};

struct codec {
    const char *name; // "gzip"
    bool (*is)(const struct packed *packed);
    // Finds the next piece; false: there is none. NULL: the whole file is one piece.
    bool (*split)(struct splitter *splitter, struct piece *piece);
    void (*split_end)(struct splitter *splitter); // NULL: nothing to free
    // NULL: no memory.
    struct unpacker *(*begin)(const struct packed *packed, struct piece piece);
    // Decompresses up to `capacity` bytes. *have is the number of bytes, also at the end or on
    // failure.
    enum unpack_result (*read)(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                               size_t *have);
    void (*end)(struct unpacker *unpacker);
    // The ends of pieces are guesses, which may turn out wrong only at the end of the piece. So its
    // text must not be used before that.
    bool guesses_pieces;
    // Begins inside a piece, at a place that was recorded. NULL: no memory, or the window is
    // invalid. Only for codecs that have such places.
    struct unpacker *(*resume)(const struct packed *packed, struct piece piece,
                               const uint8_t *window, size_t window_bytes);
    // For codecs that check something over several pieces: a piece begins; its text continues; it
    // was read to its end, and its unpacker has this sum. False: the check failed, or there was no
    // memory for it. The first two may be NULL.
    void (*sum_piece)(struct piece_sums *sums, const struct packed *packed, struct piece piece);
    void (*sum_text)(struct piece_sums *sums, const uint8_t *bytes, size_t size_bytes);
    bool (*sum_piece_end)(struct piece_sums *sums, const struct packed *packed, struct piece piece,
                          struct text_sum sum);
    void (*sum_end)(struct piece_sums *sums);
};

// The codec of a file; NULL: it is not compressed, or in an unknown way.
const struct codec *codec_of(const struct packed *packed);

static inline uint64_t packed_u32(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24;
}

static inline uint64_t piece_end(const struct packed *packed, struct piece piece)
{
    return u64_min(piece.to, packed->size_bytes);
}

// The number of bytes left in an unpacker's piece, limited to what a library takes at a time.
static inline size_t unpacker_left(const struct unpacker *unpacker)
{
    return (size_t)u64_min(unpacker->end - unpacker->at, UINT64_C(1) << 30);
}

// The faults of a file that ends too early, and of one with other data at its end.
#define UNPACK_CUT "are truncated"
#define UNPACK_GARBAGE "are followed by something else"

// The supported codecs, each with its library.

extern const struct codec codec_gzip, codec_zstd, codec_xz, codec_lz4, codec_bzip2;

#endif
