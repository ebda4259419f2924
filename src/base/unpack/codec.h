// A format of compressed files: how to tell it, where it may be begun, and how it is decompressed.
//
// A file is a sequence of pieces that need nothing of each other, so that several can be
// decompressed at a time. A codec that finds no pieces has one, all of the file.
#ifndef TRAWL_BASE_UNPACK_CODEC_H
#define TRAWL_BASE_UNPACK_CODEC_H

#include "base/base.h"

#include <stddef.h>

// A compressed file, mapped.
struct packed {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

// Where a piece begins and ends, in units of its codec: bytes, but for bzip2, whose blocks begin at
// any bit.
struct piece {
    uint64_t from, to;
    uint8_t level;  // of a stream of bzip2: '1' to '9'; of blocks of lz4; of gzip; PIECE_INSIDE
    uint64_t frame; // of blocks of lz4: where their frame begins
};

// The level of what begins inside of a gzip member, at any bit.
#define PIECE_INSIDE 1

// A piece that goes on to the end of the file, whatever comes.
#define PIECE_REST UINT64_MAX

// Looks for pieces, one after the other. All zero but for the file to begin with.
struct splitter {
    const struct packed *packed;
    uint64_t at;       // where the next piece begins, as in struct piece
    void *own;         // the codec's
    uint8_t level;     // of the stream of bzip2 that it is in
    uint32_t checksum; // of that stream's blocks so far
    bool is_begun, is_ended;
};

enum unpack_result {
    UNPACK_MORE,      // there is, or may be, more to come
    UNPACK_END,       // the piece is at its end
    UNPACK_DAMAGED,   // `fault` says what is wrong
    UNPACK_NO_MEMORY, // or the file asks for more than LIMIT_UNPACK_MEMORY_BYTES
};

struct codec;

// What text sums up to, by a checksum of the codec.
struct text_sum {
    uint32_t checksum;
    uint64_t size_bytes;
};

// A place inside of a piece from which it can be decompressed, with the text before it.
struct unpack_point {
    uint8_t *window; // packed, on the heap; NULL: there is no such place
    size_t window_bytes;
    size_t at;     // of what was read with it
    uint64_t from; // a bit of the file
};

// One piece that is being decompressed. A codec's own struct begins with it.
struct unpacker {
    const struct codec *codec;
    const struct packed *packed;
    uint64_t at, end;  // bytes of the file: what is read next, and where the piece ends
    const char *fault; // in words that follow "the compressed data"
    // Whether places inside of it are wanted, and the one that was passed last: it is taken after
    // each reading, by whoever wants them.
    bool wants_points;
    struct unpack_point point;
    struct text_sum sum; // of its text so far, of codecs that check that over several pieces
};

// What is checked over several pieces, by who reads them in order: of a frame of lz4, or a member
// of gzip. All zero to begin with.
struct piece_sums {
    void *state; // the codec's; freed by `sum_end`
    uint64_t size_bytes, frame;
    uint32_t checksum;
};

struct codec {
    const char *name; // "gzip"
    bool (*is)(const struct packed *packed);
    // The next piece; false: there is none. NULL: the whole file is one.
    bool (*split)(struct splitter *splitter, struct piece *piece);
    void (*split_end)(struct splitter *splitter); // NULL: there is nothing to free
    // NULL: no memory.
    struct unpacker *(*begin)(const struct packed *packed, struct piece piece);
    // Decompresses up to `capacity` bytes, and says how many there are, also where it ends or
    // fails.
    enum unpack_result (*read)(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                               size_t *have);
    void (*end)(struct unpacker *unpacker);
    // Where a piece ends is a guess that decompressing it may not find out before its end: what a
    // piece has is nobody's until then.
    bool guesses_pieces;
    // Begins inside of a piece, at a place that was met before. NULL, too: the window is none.
    // Of codecs that have such places.
    struct unpacker *(*resume)(const struct packed *packed, struct piece piece,
                               const uint8_t *window, size_t window_bytes);
    // Of codecs that check something over several pieces: one begins, goes on with that text, and
    // was read to its end, with what its unpacker summed up. False: what is checked is wrong, or
    // there was no memory for it. The first two may be NULL.
    void (*sum_piece)(struct piece_sums *sums, const struct packed *packed, struct piece piece);
    void (*sum_text)(struct piece_sums *sums, const uint8_t *bytes, size_t size_bytes);
    bool (*sum_piece_end)(struct piece_sums *sums, const struct packed *packed, struct piece piece,
                          struct text_sum sum);
    void (*sum_end)(struct piece_sums *sums);
};

// The codec that a file is of; NULL: it is not compressed, or by something else.
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

// What is left of an unpacker's piece, as far as a library takes it at a time.
static inline size_t unpacker_left(const struct unpacker *unpacker)
{
    return (size_t)u64_min(unpacker->end - unpacker->at, UINT64_C(1) << 30);
}

// How a file that ends too early, and one that goes on with something else, are said.
#define UNPACK_CUT "are truncated"
#define UNPACK_GARBAGE "are followed by something else"

#endif
