// gzip (RFC 1952) by zlib: members one after the other, as gzip -d reads them. The header and the
// trailer of a member are read here, and zlib sees the deflated data alone.
//
// Of BGZF, as bgzip writes it, each member says in an extra field how long it is, so that runs of
// members are pieces.
#include "base/limits.h"
#include "base/unpack/codecs.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER_BYTES = 10, TRAILER_BYTES = 8, BGZF_HEADER_BYTES = 18 };
enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAGS_UNKNOWN = 0xe0 };

// Compressed bytes of a piece, at least, where there are many members.
#define PIECE_BYTES (UINT64_C(256) << 10)

enum part { PART_HEADER, PART_BODY, PART_TRAILER };

struct gzip {
    struct unpacker base;
    z_stream stream;
    enum part part;
    uint64_t crc, size_bytes; // of the member's text so far
    bool is_first;            // no member of the file came before
};

static bool has_magic(const uint8_t *bytes, uint64_t size_bytes)
{
    return size_bytes >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static bool is_gzip(const struct packed *packed)
{
    return has_magic(packed->bytes, packed->size_bytes);
}

// --- Pieces --------------------------------------------------------------------------------------

// The size of the BGZF member there; 0: it is none.
static uint64_t bgzf_bytes(const uint8_t *at, uint64_t left)
{
    if (left < BGZF_HEADER_BYTES || !has_magic(at, left) || at[3] != FLAG_EXTRA)
        return 0;
    // The extra field has 6 bytes: "BC", its own size 2, and that of the member less one.
    if (at[10] != 6 || at[11] || at[12] != 'B' || at[13] != 'C' || at[14] != 2 || at[15])
        return 0;
    uint64_t size_bytes = (uint64_t)at[16] + (uint64_t)at[17] * 256 + 1;
    return size_bytes > BGZF_HEADER_BYTES + TRAILER_BYTES && size_bytes <= left ? size_bytes : 0;
}

static bool split(struct splitter *splitter, struct piece *piece)
{
    const struct packed *packed = splitter->packed;
    uint64_t at = splitter->at, size_bytes;
    if (at >= packed->size_bytes)
        return false;
    while (at < packed->size_bytes && at - splitter->at < PIECE_BYTES &&
           (size_bytes = bgzf_bytes(packed->bytes + at, packed->size_bytes - at)))
        at += size_bytes;
    *piece = (struct piece){.from = splitter->at, .to = at > splitter->at ? at : PIECE_REST};
    splitter->at = u64_min(piece->to, packed->size_bytes);
    return true;
}

// --- Members -------------------------------------------------------------------------------------

static struct unpacker *begin(const struct packed *packed, struct piece piece)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip || inflateInit2(&gzip->stream, -MAX_WBITS) != Z_OK) {
        free(gzip);
        return NULL;
    }
    gzip->base = (struct unpacker){&codec_gzip, packed, piece.from, piece_end(packed, piece), NULL};
    gzip->is_first = piece.from == 0;
    return &gzip->base;
}

static enum unpack_result fail(struct gzip *gzip, const char *fault)
{
    gzip->base.fault = fault;
    return UNPACK_DAMAGED;
}

// The end of the text that ends with a NUL at or after `at`; 0: it has none.
static uint64_t text_end(const struct unpacker *base, uint64_t at)
{
    const uint8_t *nul =
        at < base->end ? memchr(base->packed->bytes + at, 0, (size_t)(base->end - at)) : NULL;
    return nul ? (uint64_t)(nul - base->packed->bytes) + 1 : 0;
}

// Where the header ends; 0: the file does not have all of it.
static uint64_t header_end(const struct unpacker *base)
{
    const uint8_t *bytes = base->packed->bytes;
    uint64_t at = base->at + HEADER_BYTES;
    if (base->end - base->at < HEADER_BYTES)
        return 0;
    uint8_t flags = bytes[base->at + 3];
    if (flags & FLAG_EXTRA) {
        if (base->end - at < 2)
            return 0;
        at += 2 + (uint64_t)bytes[at] + (uint64_t)bytes[at + 1] * 256;
    }
    if (flags & FLAG_NAME && !(at = text_end(base, at)))
        return 0;
    if (flags & FLAG_COMMENT && !(at = text_end(base, at)))
        return 0;
    at += flags & FLAG_CRC ? 2 : 0;
    return at <= base->end ? at : 0;
}

// Zeros may stand after the last member, as on tapes.
static bool is_padding(const struct unpacker *base)
{
    for (uint64_t at = base->at; at < base->end; at++) {
        if (base->packed->bytes[at])
            return false;
    }
    return true;
}

static enum unpack_result read_header(struct gzip *gzip)
{
    struct unpacker *base = &gzip->base;
    const uint8_t *bytes = base->packed->bytes + base->at;
    if (!gzip->is_first && is_padding(base))
        return UNPACK_END;
    if (!has_magic(bytes, base->end - base->at))
        return fail(gzip, gzip->is_first ? UNPACK_CUT : UNPACK_GARBAGE);
    uint64_t end = header_end(base);
    if (!end)
        return fail(gzip, UNPACK_CUT);
    if (bytes[3] & FLAGS_UNKNOWN)
        return fail(gzip, "have a header with unknown flags");
    base->at = end;
    gzip->part = PART_BODY;
    gzip->is_first = false;
    gzip->crc = crc32(0, NULL, 0);
    gzip->size_bytes = 0;
    return inflateReset(&gzip->stream) == Z_OK ? UNPACK_MORE : UNPACK_NO_MEMORY;
}

static enum unpack_result read_body(struct gzip *gzip, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct unpacker *base = &gzip->base;
    z_stream *stream = &gzip->stream;
    size_t left = unpacker_left(base), room = (size_t)u64_min(capacity - *have, UINT64_C(1) << 30);
    stream->next_in = (uint8_t *)(uintptr_t)(base->packed->bytes + base->at);
    stream->avail_in = (unsigned)left;
    stream->next_out = bytes + *have;
    stream->avail_out = (unsigned)room;
    int result = inflate(stream, Z_NO_FLUSH);
    size_t made = room - stream->avail_out;
    base->at += left - stream->avail_in;
    gzip->crc = crc32(gzip->crc, bytes + *have, (unsigned)made);
    gzip->size_bytes += made;
    *have += made;
    if (result == Z_STREAM_END)
        gzip->part = PART_TRAILER;
    else if (result == Z_MEM_ERROR)
        return UNPACK_NO_MEMORY;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return fail(gzip, "are damaged");
    else if (base->at == base->end && *have < capacity)
        return fail(gzip, UNPACK_CUT);
    return UNPACK_MORE;
}

static enum unpack_result read_trailer(struct gzip *gzip)
{
    struct unpacker *base = &gzip->base;
    const uint8_t *bytes = base->packed->bytes + base->at;
    if (base->end - base->at < TRAILER_BYTES)
        return fail(gzip, UNPACK_CUT);
    if (packed_u32(bytes) != gzip->crc || packed_u32(bytes + 4) != (gzip->size_bytes & UINT32_MAX))
        return fail(gzip, "do not have the checksum that they should");
    base->at += TRAILER_BYTES;
    gzip->part = PART_HEADER;
    return base->at == base->end ? UNPACK_END : UNPACK_MORE;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct gzip *gzip = (struct gzip *)(void *)unpacker;
    enum unpack_result result = UNPACK_MORE;
    for (*have = 0; result == UNPACK_MORE && *have < capacity;)
        result = gzip->part == PART_HEADER ? read_header(gzip)
                 : gzip->part == PART_BODY ? read_body(gzip, bytes, capacity, have)
                                           : read_trailer(gzip);
    return result;
}

static void end(struct unpacker *unpacker)
{
    struct gzip *gzip = (struct gzip *)(void *)unpacker;
    inflateEnd(&gzip->stream);
    free(gzip);
}

const struct codec codec_gzip = {"gzip", is_gzip, split, NULL, begin, read_more, end, false};
