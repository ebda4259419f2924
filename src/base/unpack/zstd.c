// Zstandard (RFC 8878), by libzstd: consecutive frames, which are independent of each other. The
// size of a frame is found from the sizes in its blocks. Skippable frames, such as the table of the
// seekable format, are skipped.
#include "base/library.h"
#include "base/unpack/codec.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MAGIC UINT32_C(0xfd2fb528)
#define MAGIC_SKIPPED UINT32_C(0x184d2a50) // the last four bits are arbitrary
enum { BLOCK_RLE = 1, BLOCK_RESERVED = 3 };

// The least compressed bytes of a chunk, if there are many frames; and how far to search for the
// end of a frame: if it is further away, the rest of the file is one chunk.
#define CHUNK_BYTES (UINT64_C(256) << 10)
#define LOOK_BYTES (UINT64_C(32) << 20)

struct zstd {
    struct unpacker base;
    ZSTD_DStream *stream;
    bool is_in_frame;
};

static struct {
    __typeof__(ZSTD_createDStream) *create;
    __typeof__(ZSTD_decompressStream) *decompress;
    __typeof__(ZSTD_freeDStream) *free;
    __typeof__(ZSTD_isError) *is_error;
    __typeof__(ZSTD_getErrorCode) *error_code;
} libzstd;

static const struct library_function libzstd_functions[] = {
    LIBRARY_FUNCTION(ZSTD_createDStream, libzstd.create),
    LIBRARY_FUNCTION(ZSTD_decompressStream, libzstd.decompress),
    LIBRARY_FUNCTION(ZSTD_freeDStream, libzstd.free),
    LIBRARY_FUNCTION(ZSTD_isError, libzstd.is_error),
    LIBRARY_FUNCTION(ZSTD_getErrorCode, libzstd.error_code),
};

static struct library libzstd_library = {.file = "libzstd.so.1",
                                         .package = "libzstd1",
                                         .use = "reading zstd",
                                         .functions = libzstd_functions,
                                         .count = ARRAY_COUNT(libzstd_functions)};

static bool is_skipped(const uint8_t *at, uint64_t left)
{
    return left >= 8 && (packed_u32(at) & ~UINT64_C(15)) == MAGIC_SKIPPED;
}

// Skippable frames may begin a file of this format or of lz4.
static bool is_zstd(const struct packed *packed)
{
    uint64_t at = 0;
    while (is_skipped(packed->bytes + at, packed->size_bytes - at)) {
        uint64_t size_bytes = 8 + packed_u32(packed->bytes + at + 4);
        if (size_bytes > packed->size_bytes - at)
            return false;
        at += size_bytes;
    }
    return packed->size_bytes - at >= 4 && packed_u32(packed->bytes + at) == MAGIC;
}

// --- Chunks --------------------------------------------------------------------------------------

// The size of a frame's header, including its magic number.
static uint64_t header_bytes(uint8_t descriptor)
{
    static const uint8_t dictionary_bytes[] = {0, 1, 2, 4}, content_bytes[] = {0, 2, 4, 8};
    bool is_single = descriptor & 32;
    uint8_t content = content_bytes[descriptor >> 6];
    return UINT64_C(5) + !is_single + dictionary_bytes[descriptor & 3] +
           (is_single && !content ? 1 : content);
}

// The end of the frame that begins at `start`; 0: unknown.
static uint64_t frame_end(const struct packed *packed, uint64_t start)
{
    uint64_t size_bytes = packed->size_bytes, at = start;
    const uint8_t *bytes = packed->bytes;
    if (is_skipped(bytes + at, size_bytes - at)) {
        uint64_t skipped = 8 + packed_u32(bytes + at + 4);
        return skipped <= size_bytes - at ? at + skipped : 0;
    }
    if (size_bytes - at < 6 || packed_u32(bytes + at) != MAGIC)
        return 0;
    bool has_checksum = bytes[at + 4] & 4, is_last = false;
    for (at += header_bytes(bytes[at + 4]); !is_last; at += 3) {
        if (at > size_bytes || size_bytes - at < 3 || at - start > LOOK_BYTES)
            return 0;
        uint64_t block = packed_u32(bytes + at - 1) >> 8;
        is_last = block & 1;
        if ((block >> 1 & 3) == BLOCK_RESERVED)
            return 0;
        at += (block >> 1 & 3) == BLOCK_RLE ? 1 : block >> 3;
    }
    at += has_checksum ? 4 : 0;
    return at <= size_bytes ? at : 0;
}

static bool split(struct splitter *splitter, struct packed_chunk *chunk)
{
    const struct packed *packed = splitter->packed;
    uint64_t at = splitter->at, next;
    if (at >= packed->size_bytes)
        return false;
    while (at < packed->size_bytes && at - splitter->at < CHUNK_BYTES &&
           (next = frame_end(packed, at)))
        at = next;
    *chunk = (struct packed_chunk){.from = splitter->at, .to = at > splitter->at ? at : CHUNK_REST};
    splitter->at = u64_min(chunk->to, packed->size_bytes);
    return true;
}

// --- Frames --------------------------------------------------------------------------------------

static struct unpacker *begin(const struct packed *packed, struct packed_chunk chunk)
{
    struct zstd *zstd = calloc(1, sizeof *zstd);
    if (!zstd || !(zstd->stream = libzstd.create())) {
        free(zstd);
        return NULL;
    }
    zstd->base = (struct unpacker){.codec = &codec_zstd,
                                   .packed = packed,
                                   .at = chunk.from,
                                   .end = packed_chunk_end(packed, chunk)};
    return &zstd->base;
}

static enum unpack_result fail(struct zstd *zstd, size_t code)
{
    switch (libzstd.error_code(code)) {
    case ZSTD_error_memory_allocation:
        return UNPACK_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        zstd->base.fault = "need a larger window than the limit of 128 MiB";
        break;
    case ZSTD_error_checksum_wrong:
        zstd->base.fault = "have a wrong checksum";
        break;
    case ZSTD_error_dictionary_wrong:
        zstd->base.fault = "want a dictionary";
        break;
    case ZSTD_error_prefix_unknown:
        zstd->base.fault = UNPACK_GARBAGE;
        break;
    default:
        zstd->base.fault = "are damaged";
    }
    return UNPACK_DAMAGED;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct zstd *zstd = (struct zstd *)(void *)unpacker;
    ZSTD_outBuffer out = {bytes, capacity, 0};
    size_t result = 0;
    while (out.pos < capacity && !libzstd.is_error(result)) {
        ZSTD_inBuffer in = {unpacker->packed->bytes + unpacker->at, unpacker_left(unpacker), 0};
        size_t made = out.pos;
        if (!in.size && !zstd->is_in_frame)
            break;
        result = libzstd.decompress(zstd->stream, &out, &in);
        unpacker->at += in.pos;
        zstd->is_in_frame = result != 0;
        if (!in.pos && out.pos == made)
            break;
    }
    *have = out.pos;
    if (libzstd.is_error(result))
        return fail(zstd, result);
    if (out.pos == capacity)
        return UNPACK_MORE;
    unpacker->fault = UNPACK_CUT;
    return zstd->is_in_frame ? UNPACK_DAMAGED : UNPACK_END;
}

static void end(struct unpacker *unpacker)
{
    struct zstd *zstd = (struct zstd *)(void *)unpacker;
    libzstd.free(zstd->stream);
    free(zstd);
}

const struct codec codec_zstd = {
    .name = "zstd",
    .library = &libzstd_library,
    .is = is_zstd,
    .split = split,
    .begin = begin,
    .read = read_more,
    .end = end,
};
