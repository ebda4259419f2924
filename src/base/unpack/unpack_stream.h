// The text of a compressed file, in order. Separate threads decompress it ahead of its reader,
// several chunks at the same time if the file has them.
//
// The text is what one thread would read from the beginning to the end, regardless of chunks: if a
// chunk turns out not to be one, the file is read as a whole from there on.
#ifndef TRAWL_BASE_UNPACK_UNPACK_STREAM_H
#define TRAWL_BASE_UNPACK_UNPACK_STREAM_H

#include "base/error.h"
#include "base/unpack/access_point.h"
#include "base/unpack/codec.h"

struct unpack_stream;

// Damage of a file; the text before it is sound.
struct unpack_stream_fault {
    const char *text;     // "are truncated"; NULL: no damage
    uint64_t packed_byte; // in the file, about where it was found
    uint64_t plain_byte;  // in the text, where it ends
};

// `packed` must stay valid. Nothing is read yet. NULL: no memory.
struct unpack_stream *unpack_stream_open(const struct codec *codec, const struct packed *packed,
                                         unsigned threads);

// Sets how many threads may decompress. To be called before anything is read.
void unpack_stream_set_threads(struct unpack_stream *unpack_stream, unsigned threads);

// Records places where decompression can start again. To be called before anything is read.
void unpack_stream_keep_access_points(struct unpack_stream *unpack_stream);

// The places in the whole text, after it was read to its end without damage; they belong to the
// unpack stream. NULL: there are none.
const struct access_points *unpack_stream_access_points(const struct unpack_stream *unpack_stream);

// Returns to the beginning.
void unpack_stream_rewind(struct unpack_stream *unpack_stream);

// Reads until there are `wanted` bytes, or the text ends: at the end of the file, or at damage. The
// only error is STATUS_MEMORY.
enum status unpack_stream_read(struct unpack_stream *unpack_stream, char *bytes, size_t wanted,
                               size_t *have, struct error *err);

// The size of the text in bytes, after it was read to its end; otherwise 0.
uint64_t unpack_stream_text_bytes(const struct unpack_stream *unpack_stream);

// The damage found so far.
struct unpack_stream_fault unpack_stream_fault(const struct unpack_stream *unpack_stream);

void unpack_stream_close(struct unpack_stream *unpack_stream);

#endif
