// .xz, by liblzma. The index at the end of a file has the positions of its blocks, which are
// independent of each other: xz -T writes many. If the index cannot be read, for example because
// the file is truncated, the file is one chunk and is read from its beginning.
#include "base/limits.h"
#include "base/unpack/codec.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

struct xz {
    struct unpacker base;
    lzma_stream stream;
    lzma_block block;
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
};

// The index of a file that is being split.
struct blocks {
    lzma_index *index;
    lzma_index_iter at;
};

static bool is_xz(const struct packed *packed)
{
    return packed->size_bytes >= 6 && memcmp(packed->bytes,
                                             "\xfd"
                                             "7zXZ",
                                             6) == 0;
}

// --- Chunks --------------------------------------------------------------------------------------

static void split_end(struct splitter *splitter)
{
    struct blocks *blocks = splitter->own;
    if (blocks)
        lzma_index_end(blocks->index, NULL);
    free(blocks);
    splitter->own = NULL;
}

// Reads the index, or the indexes of a file with several streams; NULL: not possible.
static lzma_index *read_index(const struct packed *packed)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_index *index = NULL;
    if (lzma_file_info_decoder(&stream, &index, LIMIT_UNPACK_MEMORY_BYTES, packed->size_bytes) !=
        LZMA_OK)
        return NULL;
    stream.next_in = packed->bytes;
    stream.avail_in = (size_t)packed->size_bytes;
    lzma_ret result;
    while ((result = lzma_code(&stream, LZMA_RUN)) == LZMA_SEEK_NEEDED) {
        stream.next_in = packed->bytes + stream.seek_pos;
        stream.avail_in = (size_t)(packed->size_bytes - stream.seek_pos);
    }
    lzma_end(&stream);
    return result == LZMA_STREAM_END ? index : NULL;
}

static void split_begin(struct splitter *splitter)
{
    struct blocks *blocks = malloc(sizeof *blocks);
    splitter->is_begun = true;
    if (!blocks || !(blocks->index = read_index(splitter->packed))) {
        free(blocks);
        return;
    }
    lzma_index_iter_init(&blocks->at, blocks->index);
    splitter->own = blocks;
}

static bool split(struct splitter *splitter, struct packed_chunk *chunk)
{
    if (!splitter->is_begun)
        split_begin(splitter);
    struct blocks *blocks = splitter->own;
    if (splitter->is_ended)
        return false;
    if (!blocks || lzma_index_block_count(blocks->index) < 2) {
        splitter->is_ended = true;
        *chunk = (struct packed_chunk){.to = CHUNK_REST};
        return true;
    }
    if (lzma_index_iter_next(&blocks->at, LZMA_INDEX_ITER_BLOCK))
        return false;
    uint64_t from = blocks->at.block.compressed_file_offset;
    *chunk = (struct packed_chunk){.from = from, .to = from + blocks->at.block.total_size};
    return true;
}

// --- Blocks and whole files ----------------------------------------------------------------------

static void free_filters(struct xz *xz)
{
    for (size_t i = 0; i < ARRAY_COUNT(xz->filters); i++)
        free(xz->filters[i].options);
}

// Uses the check of the file's first stream for the block. If the streams of a file have different
// checks, decompressing the block fails, and the file is read as a whole.
static lzma_ret begin_block(struct xz *xz, uint64_t from)
{
    const struct packed *packed = xz->base.packed;
    lzma_stream_flags flags;
    lzma_ret result = lzma_stream_header_decode(&flags, packed->bytes);
    if (result != LZMA_OK)
        return result;
    for (size_t i = 0; i < ARRAY_COUNT(xz->filters); i++)
        xz->filters[i].id = LZMA_VLI_UNKNOWN;
    xz->block = (lzma_block){.version = 1, .check = flags.check, .filters = xz->filters};
    xz->block.header_size = lzma_block_header_size_decode(packed->bytes[from]);
    if (!packed->bytes[from] || xz->block.header_size > xz->base.end - from)
        return LZMA_DATA_ERROR;
    result = lzma_block_header_decode(&xz->block, NULL, packed->bytes + from);
    if (result != LZMA_OK)
        return result;
    if (lzma_raw_decoder_memusage(xz->filters) > LIMIT_UNPACK_MEMORY_BYTES)
        return LZMA_MEMLIMIT_ERROR;
    xz->base.at += xz->block.header_size;
    return lzma_block_decoder(&xz->stream, &xz->block);
}

static struct unpacker *begin(const struct packed *packed, struct packed_chunk chunk)
{
    struct xz *xz = calloc(1, sizeof *xz);
    if (!xz)
        return NULL;
    xz->base = (struct unpacker){.codec = &codec_xz,
                                 .packed = packed,
                                 .at = chunk.from,
                                 .end = packed_chunk_end(packed, chunk)};
    lzma_ret result =
        chunk.to == CHUNK_REST
            ? lzma_stream_decoder(&xz->stream, LIMIT_UNPACK_MEMORY_BYTES, LZMA_CONCATENATED)
            : begin_block(xz, chunk.from);
    if (result != LZMA_OK && result != LZMA_MEM_ERROR)
        xz->base.fault = "are damaged"; // the first read reports it
    if (result != LZMA_MEM_ERROR)
        return &xz->base;
    free_filters(xz);
    free(xz);
    return NULL;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct xz *xz = (struct xz *)(void *)unpacker;
    lzma_stream *stream = &xz->stream;
    *have = 0;
    if (unpacker->fault)
        return UNPACK_DAMAGED;
    stream->next_out = bytes;
    stream->avail_out = capacity;
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK && stream->avail_out) {
        size_t left = unpacker_left(unpacker);
        stream->next_in = unpacker->packed->bytes + unpacker->at;
        stream->avail_in = left;
        bool is_last = unpacker->at + left == unpacker->end;
        result = lzma_code(stream, is_last ? LZMA_FINISH : LZMA_RUN);
        unpacker->at += left - stream->avail_in;
    }
    *have = capacity - stream->avail_out;
    if (result == LZMA_OK)
        return UNPACK_MORE;
    if (result == LZMA_STREAM_END && unpacker->at < unpacker->end) // the block is shorter than the
                                                                   // index states
        result = LZMA_DATA_ERROR;
    if (result == LZMA_STREAM_END)
        return UNPACK_END;
    if (result == LZMA_MEM_ERROR)
        return UNPACK_NO_MEMORY;
    xz->base.fault = result == LZMA_MEMLIMIT_ERROR  ? "need more memory than the limit of 256 MiB"
                     : result == LZMA_BUF_ERROR     ? UNPACK_CUT
                     : result == LZMA_FORMAT_ERROR  ? UNPACK_GARBAGE
                     : result == LZMA_OPTIONS_ERROR ? "need a newer version of xz"
                                                    : "are damaged";
    return UNPACK_DAMAGED;
}

static void end(struct unpacker *unpacker)
{
    struct xz *xz = (struct xz *)(void *)unpacker;
    lzma_end(&xz->stream);
    free_filters(xz);
    free(xz);
}

const struct codec codec_xz = {
    .name = "xz",
    .is = is_xz,
    .split = split,
    .split_end = split_end,
    .begin = begin,
    .read = read_more,
    .end = end,
};
