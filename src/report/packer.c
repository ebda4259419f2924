#include "report/packer.h"

#include "base/library.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

// Our texts repeat so much that the fastest level already reduces them to a tenth; the next levels
// take twice the time for a sixth less.
#define GZIP_LEVEL 1
#define GZIP_BITS (MAX_WBITS + 16)
#define MEMORY_LEVEL 8
#define PACKED_BYTES ((size_t)64 << 10)

struct packer {
    z_stream stream;
    packer_sink *sink;
    void *self;
    unsigned char packed[PACKED_BYTES];
};

bool packer_is_there(void)
{
    return true;
}

// The file has no name and no time, so the same text gives the same bytes.
struct packer *packer_new(packer_sink *sink, void *self)
{
    struct packer *packer = calloc(1, sizeof *packer);
    if (!packer || deflateInit2(&packer->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, MEMORY_LEVEL,
                                Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packer);
        return NULL;
    }
    packer->sink = sink;
    packer->self = self;
    return packer;
}

// Compresses the input of the stream. zlib fails only if it is called wrongly.
static void run(struct packer *packer, int flush)
{
    z_stream *stream = &packer->stream;
    do {
        stream->next_out = packer->packed;
        stream->avail_out = sizeof packer->packed;
        int result = deflate(stream, flush);
        ASSERT(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR);
        packer->sink(packer->self, (const char *)packer->packed,
                     sizeof packer->packed - stream->avail_out);
    } while (stream->avail_out == 0);
}

void packer_put(struct packer *packer, const char *bytes, size_t length)
{
    while (length) {
        uInt part = (uInt)u64_min(length, UINT32_MAX / 2);
        packer->stream.next_in = (Bytef *)(uintptr_t)bytes;
        packer->stream.avail_in = part;
        run(packer, Z_NO_FLUSH);
        bytes += part;
        length -= part;
    }
}

void packer_end(struct packer *packer)
{
    packer->stream.avail_in = 0;
    run(packer, Z_FINISH);
}

void packer_free(struct packer *packer)
{
    if (packer)
        deflateEnd(&packer->stream);
    free(packer);
}

// The input is already compact because of its encoding: the next levels gain a twentieth for twice
// the time.
#define ZSTD_LEVEL 1

struct zstd_pack;

static struct {
    __typeof__(ZSTD_createCCtx) *create;
    __typeof__(ZSTD_freeCCtx) *free;
    __typeof__(ZSTD_compressBound) *bound;
    __typeof__(ZSTD_compressCCtx) *compress;
    __typeof__(ZSTD_isError) *is_error;
} libzstd;

static const struct library_function libzstd_functions[] = {
    LIBRARY_FUNCTION(ZSTD_createCCtx, libzstd.create),
    LIBRARY_FUNCTION(ZSTD_freeCCtx, libzstd.free),
    LIBRARY_FUNCTION(ZSTD_compressBound, libzstd.bound),
    LIBRARY_FUNCTION(ZSTD_compressCCtx, libzstd.compress),
    LIBRARY_FUNCTION(ZSTD_isError, libzstd.is_error),
};

static struct library libzstd_library = {.file = "libzstd.so.1",
                                         .package = "libzstd1",
                                         .use = "zstd",
                                         .functions = libzstd_functions,
                                         .count = ARRAY_COUNT(libzstd_functions)};

static ZSTD_CCtx *context_of(struct zstd_pack *pack)
{
    return (ZSTD_CCtx *)(void *)pack;
}

bool zstd_pack_is_there(void)
{
    struct error err;
    return library_load(&libzstd_library, &err) == STATUS_OK;
}

struct zstd_pack *zstd_pack_new(void)
{
    return zstd_pack_is_there() ? (struct zstd_pack *)(void *)libzstd.create() : NULL;
}

bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed)
{
    packed->count = 0;
    size_t bound = libzstd.bound(length);
    if (!VEC_ROOM(packed, bound))
        return false;
    size_t written =
        libzstd.compress(context_of(pack), packed->items, bound, bytes, length, ZSTD_LEVEL);
    if (libzstd.is_error(written)) // there is enough room, so only memory can be lacking
        return false;
    packed->count = written;
    return true;
}

void zstd_pack_free(struct zstd_pack *pack)
{
    if (pack)
        libzstd.free(context_of(pack));
}
