// A format of compressed files: how to recognize it, where decompression can start, and how to
// decompress.
//
// A file is a sequence of independent chunks, so that several can be decompressed at the same time.
// If a codec finds no chunks, the whole file is one.
//
// So decompression takes as long as the format's own program, or less: 0.2 to 1.2 times its
// processor time (bench/RESULTS.md, Compressed traces). Places inside of one large gzip member can
// be access points, with the 32 KB of text before them; a frame of Zstandard has to be read up to
// the place that is wanted.
#ifndef TRAWL_BASE_UNPACK_CODEC_H
#define TRAWL_BASE_UNPACK_CODEC_H

#include "base/error.h"

#include <stddef.h>

// A compressed file, mapped.
struct packed {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

// Where a chunk begins and ends, in bytes; for bzip2, whose blocks begin at any bit, in bits.
struct packed_chunk {
    uint64_t from, to;
    uint8_t level;  // of a bzip2 stream: '1' to '9'; of lz4 blocks; of gzip; CHUNK_INSIDE
    uint64_t frame; // of lz4 blocks: where their frame begins
};

// The level of a chunk that begins inside a gzip member, at any bit.
#define CHUNK_INSIDE 1

// The end of a chunk that continues to the end of the file.
#define CHUNK_REST UINT64_MAX

// Finds chunks, one after the other. All zero at first, except for the file.
struct splitter {
    const struct packed *packed;
    uint64_t at;       // where the next chunk begins, in units of struct packed_chunk
    void *own;         // for the codec
    uint8_t level;     // of the current bzip2 stream
    uint32_t checksum; // of the blocks of that stream so far
    bool is_begun, is_ended;
};

enum unpack_result {
    UNPACK_MORE,      // there may be more
    UNPACK_END,       // the chunk has ended
    UNPACK_DAMAGED,   // `fault` has the reason
    UNPACK_NO_MEMORY, // or the file needs more than LIMIT_UNPACK_MEMORY_BYTES
};

struct codec;

// A checksum of text, as the codec defines it, and its size.
struct text_sum {
    uint32_t checksum;
    uint64_t size_bytes;
};

// A place inside a chunk where decompression can start, with the text before it.
struct unpack_point {
    uint8_t *window; // compressed, on the heap; NULL: there is no such place
    size_t window_bytes;
    size_t at;     // position in the text that was read with it
    uint64_t from; // bit of the file
};

// A chunk that is being decompressed. The codec's own struct begins with it.
struct unpacker {
    const struct codec *codec;
    const struct packed *packed;
    uint64_t at, end;  // bytes of the file: the next to be read, and the end of the chunk
    const char *fault; // continues "the compressed data"
    // Whether places inside the chunk are wanted, and the latest one. The caller takes it after
    // each read.
    bool wants_points;
    struct unpack_point point;
    struct text_sum sum; // of the text so far; for codecs that check it over several chunks
};

// The state of a check over several chunks, for the reader that reads them in order: of an lz4
// frame or a gzip member. All zero at first.
struct chunk_sums {
    void *state; // the codec's, freed by `sum_end`
    uint64_t size_bytes, frame;
    uint32_t checksum;
};

struct codec {
    const char *name;        // "gzip"
    struct library *library; // NULL: the program is linked with it
    bool (*is)(const struct packed *packed);
    // Finds the next chunk; false: there is none. NULL: the whole file is one chunk.
    bool (*split)(struct splitter *splitter, struct packed_chunk *chunk);
    void (*split_end)(struct splitter *splitter); // NULL: nothing to free
    // NULL: no memory.
    struct unpacker *(*begin)(const struct packed *packed, struct packed_chunk chunk);
    // Decompresses up to `capacity` bytes. *have is the number of bytes, also at the end or on
    // failure.
    enum unpack_result (*read)(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                               size_t *have);
    void (*end)(struct unpacker *unpacker);
    // The ends of chunks are guesses, which may turn out wrong only at the end of the chunk. So its
    // text must not be used before that.
    bool guesses_chunks;
    // Begins inside a chunk, at a place that was recorded. NULL: no memory, or the window is
    // invalid. Only for codecs that have such places.
    struct unpacker *(*resume)(const struct packed *packed, struct packed_chunk chunk,
                               const uint8_t *window, size_t window_bytes);
    // For codecs that check something over several chunks: a chunk begins; its text continues; it
    // was read to its end, and its unpacker has this sum. False: the check failed, or there was no
    // memory for it. The first two may be NULL.
    void (*sum_chunk)(struct chunk_sums *sums, const struct packed *packed,
                      struct packed_chunk chunk);
    void (*sum_text)(struct chunk_sums *sums, const uint8_t *bytes, size_t size_bytes);
    bool (*sum_chunk_end)(struct chunk_sums *sums, const struct packed *packed,
                          struct packed_chunk chunk, struct text_sum sum);
    void (*sum_end)(struct chunk_sums *sums);
};

// The codec of a file; NULL: it is not compressed, or in an unknown way. Fails if the codec's
// library cannot be loaded.
enum status codec_of(const struct packed *packed, const struct codec **codec, struct error *err);

static inline uint64_t packed_u32(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24;
}

static inline uint64_t packed_chunk_end(const struct packed *packed, struct packed_chunk chunk)
{
    return u64_min(chunk.to, packed->size_bytes);
}

// The number of bytes left in an unpacker's chunk, limited to what a library takes at a time.
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
