// gzip (RFC 1952), by ISA-L, which takes a third of zlib's time: consecutive members, as gzip -d
// reads them. This file reads the header and trailer of a member; ISA-L reads only the deflated
// data.
//
// In BGZF, which bgzip writes, an extra field of each member has its size, so that runs of members
// are chunks. In a member written by `pigz -i`, there are two consecutive empty blocks where the
// data that follows does not refer to earlier text. Such a member is divided there if it is the
// whole file. Any other file is one chunk. On request, places inside its members are recorded:
// before blocks of deflated data, which begin at any bit and refer to the 32 KiB of text before
// them.
#include "base/library.h"
#include "base/limits.h"
#include "base/unpack/codec.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER_BYTES = 10, TRAILER_BYTES = 8, BGZF_HEADER_BYTES = 18 };
enum { FLAG_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAGS_UNKNOWN = 0xe0 };

// The least compressed bytes of a chunk, if there are many members.
#define CHUNK_BYTES (UINT64_C(256) << 10)

enum { WINDOW_BYTES = 32768 };

// The kind of a chunk: members (0); or, of the only member of a file, its beginning with the
// header, a part between two marks, the part after the last mark, or its trailer.
enum { LEVEL_MEMBERS = 0, LEVEL_FIRST = 4, LEVEL_MIDDLE, LEVEL_LAST, LEVEL_TRAILER };

// Two empty stored blocks; the bits before the lengths of the first one can be any. That a chunk
// begins after them is a guess until the previous chunk has ended there, because two such blocks
// may occur inside a stored block by chance.
static const uint8_t mark[] = {0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff};

// How far to search for a mark: pigz makes blocks of 128 KiB of text.
#define MARK_WITHIN_BYTES (UINT64_C(4) << 20)

// The least text between two places: this much, or this fraction of the text before them if that is
// more. So there are a few hundred places, and some for each time that the text doubles. Stored
// windows take at most 1 / KEPT_SHARE of the size of the file.
#define POINT_BYTES (UINT64_C(2) << 20)
#define POINT_SHARE 512
#define KEPT_SHARE 100

// ISA-L does not stop between blocks. So where a place is due, data is given in pieces shorter than
// a block's header (of traces 60 to 90 bytes), until one ends in such a header: it is read again
// from its first bit, which is the place. A shorter header may be missed; then the next block's is
// found.
enum { PIECE_BYTES = 32 };

enum part { PART_HEADER, PART_BODY, PART_TRAILER };

struct gzip {
    struct unpacker base;
    enum part part;
    bool is_first;   // it is the first member of the file
    bool is_resumed; // it was started inside the member, whose checksum is then unknown
    bool is_rest;    // the chunk continues to the end of the file
    uint8_t level;
    // Of the chunk: how much text it gave so far, after how much of it the next place is due, and
    // the bytes of all stored windows.
    uint64_t made_bytes, due_bytes, kept_bytes;
    struct inflate_state stream; // 90 KB, with the text before
};

static struct {
    __typeof__(isal_inflate_init) *init;
    __typeof__(isal_inflate_reset) *reset;
    __typeof__(isal_inflate_set_dict) *set_dict;
    __typeof__(isal_inflate) *inflate;
    __typeof__(isal_inflate_stateless) *inflate_stateless;
    __typeof__(crc32_gzip_refl) *crc32;
} isal;

static const struct library_function isal_functions[] = {
    LIBRARY_FUNCTION(isal_inflate_init, isal.init),
    LIBRARY_FUNCTION(isal_inflate_reset, isal.reset),
    LIBRARY_FUNCTION(isal_inflate_set_dict, isal.set_dict),
    LIBRARY_FUNCTION(isal_inflate, isal.inflate),
    LIBRARY_FUNCTION(isal_inflate_stateless, isal.inflate_stateless),
    LIBRARY_FUNCTION(crc32_gzip_refl, isal.crc32),
};

static struct library isal_library = {.file = "libisal.so.2",
                                      .package = "libisal2",
                                      .use = "reading gzip",
                                      .functions = isal_functions,
                                      .count = ARRAY_COUNT(isal_functions)};

static bool has_magic(const uint8_t *bytes, uint64_t size_bytes)
{
    return size_bytes >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static bool is_gzip(const struct packed *packed)
{
    return has_magic(packed->bytes, packed->size_bytes);
}

// --- Chunks --------------------------------------------------------------------------------------

// The size of the BGZF member at `at`; 0: there is none.
static uint64_t bgzf_bytes(const uint8_t *at, uint64_t left)
{
    if (left < BGZF_HEADER_BYTES || !has_magic(at, left) || at[3] != FLAG_EXTRA)
        return 0;
    // The extra field has 6 bytes: "BC", the size of what follows (2), and the size of the member
    // less one.
    if (at[10] != 6 || at[11] || at[12] != 'B' || at[13] != 'C' || at[14] != 2 || at[15])
        return 0;
    uint64_t size_bytes = (uint64_t)at[16] + (uint64_t)at[17] * 256 + 1;
    return size_bytes > BGZF_HEADER_BYTES + TRAILER_BYTES && size_bytes <= left ? size_bytes : 0;
}

// Where the data after the next mark begins, at least CHUNK_BYTES after `at`; 0: there is none.
static uint64_t after_mark(const struct packed *packed, uint64_t at)
{
    uint64_t from = at + CHUNK_BYTES, end = packed->size_bytes - TRAILER_BYTES;
    if (packed->size_bytes < TRAILER_BYTES || from >= end)
        return 0;
    const uint8_t *found = memmem(
        packed->bytes + from, (size_t)u64_min(end - from, MARK_WITHIN_BYTES), mark, sizeof mark);
    return found ? (uint64_t)(found - packed->bytes) + sizeof mark : 0;
}

static bool split(struct splitter *splitter, struct packed_chunk *chunk)
{
    const struct packed *packed = splitter->packed;
    uint64_t at = splitter->at, size_bytes;
    if (at >= packed->size_bytes)
        return false;
    if (splitter->level ||
        (!at && !bgzf_bytes(packed->bytes, packed->size_bytes) && after_mark(packed, 0))) {
        // The next chunk of a member that is divided at marks.
        uint64_t end = splitter->packed->size_bytes - TRAILER_BYTES;
        uint64_t to = after_mark(splitter->packed, splitter->at);
        *chunk = (struct packed_chunk){.from = splitter->at, .to = to, .level = LEVEL_MIDDLE};
        if (splitter->at == 0)
            chunk->level = LEVEL_FIRST;
        else if (splitter->at == end)
            *chunk = (struct packed_chunk){
                .from = end, .to = end + TRAILER_BYTES, .level = LEVEL_TRAILER};
        else if (!to)
            *chunk = (struct packed_chunk){.from = splitter->at, .to = end, .level = LEVEL_LAST};
        splitter->level = chunk->level;
        splitter->at = chunk->to;
        return true;
    }
    while (at < packed->size_bytes && at - splitter->at < CHUNK_BYTES &&
           (size_bytes = bgzf_bytes(packed->bytes + at, packed->size_bytes - at)))
        at += size_bytes;
    *chunk = (struct packed_chunk){.from = splitter->at, .to = at > splitter->at ? at : CHUNK_REST};
    splitter->at = u64_min(chunk->to, packed->size_bytes);
    return true;
}

static void begin_body(struct gzip *gzip)
{
    gzip->part = PART_BODY;
    gzip->base.sum = (struct text_sum){0};
}

static struct unpacker *begin(const struct packed *packed, struct packed_chunk chunk)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    isal.init(&gzip->stream);
    gzip->base = (struct unpacker){.codec = &codec_gzip,
                                   .packed = packed,
                                   .at = chunk.from,
                                   .end = packed_chunk_end(packed, chunk)};
    gzip->is_first = chunk.from == 0;
    gzip->is_rest = chunk.to == CHUNK_REST;
    gzip->level = chunk.level;
    if (chunk.level == LEVEL_MIDDLE || chunk.level == LEVEL_LAST)
        begin_body(gzip);
    gzip->due_bytes = POINT_BYTES;
    return &gzip->base;
}

static enum unpack_result fail(struct gzip *gzip, const char *fault)
{
    gzip->base.fault = fault;
    return UNPACK_DAMAGED;
}

// The end of the NUL-terminated text at `at`; 0: it has no NUL.
static uint64_t text_end(const struct unpacker *base, uint64_t at)
{
    const uint8_t *nul =
        at < base->end ? memchr(base->packed->bytes + at, 0, (size_t)(base->end - at)) : NULL;
    return nul ? (uint64_t)(nul - base->packed->bytes) + 1 : 0;
}

// The end of the header; 0: it is incomplete.
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

// --- Places inside members -----------------------------------------------------------------------

// Where the next block begins, in bits before the data that was not given yet, if all before it was
// read; -1: inside a block.
static int bits_of_header(const struct inflate_state *stream)
{
    if ((stream->block_state != ISAL_BLOCK_HDR && stream->block_state != ISAL_BLOCK_NEW_HDR) ||
        !stream->avail_out)
        return -1;
    return 8 * stream->tmp_in_size + stream->read_in_length;
}

static bool is_point_due(const struct gzip *gzip)
{
    return gzip->base.wants_points && gzip->is_rest && !gzip->base.point.window &&
           gzip->made_bytes >= gzip->due_bytes;
}

// Compresses a window. 0: not possible.
static size_t pack_window(const uint8_t *window, unsigned size_bytes, uint8_t *packed, size_t room)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_in = (uint8_t *)(uintptr_t)window;
    stream.avail_in = size_bytes;
    stream.next_out = packed;
    stream.avail_out = (unsigned)room;
    int result = deflate(&stream, Z_FINISH);
    size_t made = room - stream.avail_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? made : 0;
}

// Records the current place, `bits` bits before the next byte, if there is enough room for its
// window.
static void keep_point(struct gzip *gzip, size_t at, unsigned bits)
{
    uint8_t packed[2 * WINDOW_BYTES];
    // What was read last, all of which was handed out.
    unsigned history = (unsigned)gzip->stream.tmp_out_processed,
             size_bytes = history < WINDOW_BYTES ? history : WINDOW_BYTES;
    const uint8_t *window = gzip->stream.tmp_out_buffer + history - size_bytes;
    gzip->due_bytes = gzip->made_bytes + POINT_BYTES / 2; // if this one is not recorded
    size_t packed_bytes = pack_window(window, size_bytes, packed, sizeof packed);
    if (!packed_bytes || gzip->kept_bytes + packed_bytes > gzip->base.at / KEPT_SHARE)
        return;
    uint8_t *kept = malloc(packed_bytes);
    if (!kept)
        return;
    memcpy(kept, packed, packed_bytes);
    gzip->kept_bytes += packed_bytes;
    gzip->due_bytes = gzip->made_bytes + u64_max(POINT_BYTES, gzip->made_bytes / POINT_SHARE);
    gzip->base.point = (struct unpack_point){
        .window = kept,
        .window_bytes = packed_bytes,
        .at = at,
        .from = 8 * gzip->base.at - bits,
    };
}

static size_t unpack_window(struct inflate_state *stream, const uint8_t *packed, size_t size_bytes,
                            uint8_t window[WINDOW_BYTES])
{
    stream->next_in = (uint8_t *)(uintptr_t)packed;
    stream->avail_in = (uint32_t)u64_min(size_bytes, UINT32_MAX);
    stream->next_out = window;
    stream->avail_out = WINDOW_BYTES;
    (void)isal.inflate_stateless(
        stream); // what is damaged shows when its text is compared with the hash
    return WINDOW_BYTES - stream->avail_out;
}

static void end(struct unpacker *unpacker)
{
    struct gzip *gzip = (struct gzip *)(void *)unpacker;
    free(gzip->base.point.window);
    free(gzip);
}

static struct unpacker *resume(const struct packed *packed, struct packed_chunk chunk,
                               const uint8_t *packed_window, size_t packed_bytes)
{
    uint64_t at = chunk.from / 8 + (chunk.from % 8 != 0);
    int bits = (int)(8 * at - chunk.from);
    struct unpacker *unpacker = begin(packed, (struct packed_chunk){.from = at, .to = CHUNK_REST});
    struct gzip *gzip = (struct gzip *)(void *)unpacker;
    if (!unpacker)
        return NULL;
    uint8_t window[WINDOW_BYTES];
    size_t window_bytes = unpack_window(&gzip->stream, packed_window, packed_bytes, window);
    gzip->part = PART_BODY;
    gzip->is_resumed = true;
    isal.init(&gzip->stream);
    isal.set_dict(&gzip->stream, window, (uint32_t)window_bytes);
    if (bits) {
        gzip->stream.read_in = packed->bytes[at - 1] >> (8 - bits);
        gzip->stream.read_in_length = bits;
    }
    return unpacker;
}

// --- Members -------------------------------------------------------------------------------------

static enum unpack_result read_header(struct gzip *gzip, size_t have)
{
    struct unpacker *base = &gzip->base;
    const uint8_t *bytes = base->packed->bytes + base->at;
    // There may be zeros after the last member, as on tapes.
    uint64_t zeros = base->at;
    while (!gzip->is_first && zeros < base->end && !base->packed->bytes[zeros])
        zeros++;
    if (!gzip->is_first && zeros == base->end)
        return UNPACK_END;
    if (!has_magic(bytes, base->end - base->at))
        return fail(gzip, gzip->is_first ? UNPACK_CUT : UNPACK_GARBAGE);
    uint64_t end = header_end(base);
    if (!end)
        return fail(gzip, UNPACK_CUT);
    if (bytes[3] & FLAGS_UNKNOWN)
        return fail(gzip, "have a header with unknown flags");
    base->at = end;
    gzip->is_first = false;
    gzip->is_resumed = false;
    begin_body(gzip);
    isal.reset(&gzip->stream);
    if (is_point_due(gzip))
        keep_point(gzip, have, 0);
    return UNPACK_MORE;
}

static enum unpack_result read_body(struct gzip *gzip, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct unpacker *base = &gzip->base;
    struct inflate_state *stream = &gzip->stream;
    size_t left = unpacker_left(base), room = (size_t)u64_min(capacity - *have, UINT64_C(1) << 30);
    bool is_due = is_point_due(gzip);
    if (is_due)
        left = (size_t)u64_min(left, PIECE_BYTES);
    else if (base->wants_points && gzip->is_rest && gzip->made_bytes < gzip->due_bytes)
        room = (size_t)u64_min(room, gzip->due_bytes -
                                         gzip->made_bytes); // to look for a place from there on
    stream->next_in = (uint8_t *)(uintptr_t)(base->packed->bytes + base->at);
    stream->avail_in = (uint32_t)left;
    stream->next_out = bytes + *have;
    stream->avail_out = (uint32_t)room;
    int result = isal.inflate(stream);
    size_t made = room - stream->avail_out;
    // Where data are damaged, what was made last may be a copy of text that is not there.
    if (result != ISAL_DECOMP_OK)
        made -= (size_t)u64_min(made, ISAL_DEF_MAX_MATCH);
    bool is_end = stream->block_state == ISAL_BLOCK_FINISH;
    // Releases before 2.31 keep what they read behind the end.
    uint64_t behind_bytes = is_end ? (uint64_t)stream->read_in_length / 8 : 0;
    base->at = (uint64_t)(stream->next_in - base->packed->bytes) - behind_bytes;
    base->sum.checksum = isal.crc32(base->sum.checksum, bytes + *have, made);
    base->sum.size_bytes += made;
    gzip->made_bytes += made;
    *have += made;
    int header_bits = bits_of_header(stream);
    if (is_due && header_bits >= 0 && !result)
        keep_point(gzip, *have, (unsigned)header_bits);
    if (result != ISAL_DECOMP_OK)
        return gzip->level ? UNPACK_DAMAGED : fail(gzip, "are damaged");
    if (gzip->level && (is_end || (base->at == base->end && stream->avail_out))) {
        // At the end of a part of a member, or of its data. It is really the end if the next part
        // or the trailer begins there.
        bool is_good = gzip->level == LEVEL_LAST ? is_end : header_bits == 0;
        return base->at == base->end && is_good ? UNPACK_END : UNPACK_DAMAGED;
    }
    if (is_end)
        gzip->part = PART_TRAILER;
    else if (base->at == base->end && stream->avail_out)
        return fail(gzip, UNPACK_CUT);
    return UNPACK_MORE;
}

static bool is_sum(const uint8_t *trailer, struct text_sum sum)
{
    return packed_u32(trailer) == sum.checksum &&
           packed_u32(trailer + 4) == (sum.size_bytes & UINT32_MAX);
}

static enum unpack_result read_trailer(struct gzip *gzip)
{
    struct unpacker *base = &gzip->base;
    const uint8_t *bytes = base->packed->bytes + base->at;
    if (base->end - base->at < TRAILER_BYTES)
        return fail(gzip, UNPACK_CUT);
    if (!gzip->is_resumed && !is_sum(bytes, base->sum))
        return fail(gzip, "have a wrong checksum");
    base->at += TRAILER_BYTES;
    gzip->part = PART_HEADER;
    return base->at == base->end ? UNPACK_END : UNPACK_MORE;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct gzip *gzip = (struct gzip *)(void *)unpacker;
    enum unpack_result result = gzip->level == LEVEL_TRAILER ? UNPACK_END : UNPACK_MORE;
    for (*have = 0; result == UNPACK_MORE && *have < capacity;)
        result = gzip->part == PART_HEADER ? read_header(gzip, *have)
                 : gzip->part == PART_BODY ? read_body(gzip, bytes, capacity, have)
                                           : read_trailer(gzip);
    return result;
}

// Checks a member that was divided at marks, by its trailer.
static bool sum_chunk_end(struct chunk_sums *sums, const struct packed *packed,
                          struct packed_chunk chunk, struct text_sum sum)
{
    if (chunk.level == LEVEL_MEMBERS)
        return true;
    if (chunk.level == LEVEL_TRAILER)
        return is_sum(packed->bytes + chunk.from,
                      (struct text_sum){sums->checksum, sums->size_bytes});
    if (chunk.level == LEVEL_FIRST)
        *sums = (struct chunk_sums){0};
    sums->checksum = (uint32_t)crc32_combine(sums->checksum, sum.checksum, (z_off_t)sum.size_bytes);
    sums->size_bytes += sum.size_bytes;
    return true;
}

const struct codec codec_gzip = {
    .name = "gzip",
    .library = &isal_library,
    .is = is_gzip,
    .split = split,
    .begin = begin,
    .read = read_more,
    .end = end,
    .resume = resume,
    .sum_chunk_end = sum_chunk_end,
};
