// bzip2, by libbz2. Blocks are independent of each other, and begin with a 48-bit number at any
// bit. So a chunk is one block, which is copied and made a separate stream. The bits of such a
// number may also occur inside a block by chance. Decompressing the chunk then fails, and the file
// is read as a whole.
#include "base/unpack/codec.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MAGIC UINT64_C(0x314159265359)
#define END_MAGIC UINT64_C(0x177245385090)
enum { MAGIC_BITS = 48, CHECKSUM_BITS = 32, HEADER_BYTES = 4, FRAME_BYTES = 16 };
#define MAGIC_MASK ((UINT64_C(1) << MAGIC_BITS) - 1)

// A compressed block of 900,000 bytes is at most some 1.2 times as long. A file with a longer one
// is read as a whole.
#define BLOCK_BYTES (UINT64_C(2) << 20)

struct bzip2 {
    struct unpacker base;
    bz_stream stream;
    uint8_t *block; // a chunk, made a stream; NULL: the file itself is read
    uint64_t block_bytes, block_at;
    bool is_begun, is_after_stream;
    uint64_t stream_at, stream_made; // where the stream began, and how much text it has given so
                                     // far
    // After damage was found: libbz2 works in its small mode, and `again` is how much earlier text
    // is still to be decompressed again.
    bool is_careful;
    uint64_t again;
};

static bool has_header(const uint8_t *bytes, uint64_t size_bytes)
{
    return size_bytes >= HEADER_BYTES && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' &&
           bytes[3] <= '9';
}

// The 48 bits at a bit of the file, with zeros after its end.
static uint64_t bits_at(const struct packed *packed, uint64_t bit)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 7; i++)
        word = word << 8 | (bit / 8 + i < packed->size_bytes ? packed->bytes[bit / 8 + i] : 0);
    return word >> (8 - bit % 8) & MAGIC_MASK;
}

static bool is_bzip2(const struct packed *packed)
{
    uint64_t magic = has_header(packed->bytes, packed->size_bytes) ? bits_at(packed, 32) : 0;
    return magic == BLOCK_MAGIC || magic == END_MAGIC;
}

// --- Chunks --------------------------------------------------------------------------------------

// The bit where the next block or the end of the stream begins; 0: there is none nearby.
static uint64_t next_magic(const struct packed *packed, uint64_t bit)
{
    uint64_t end = u64_min(packed->size_bytes, bit / 8 + BLOCK_BYTES), at = bit / 8, word = 0;
    for (unsigned seen = 0; at < end; at++) {
        word = word << 8 | packed->bytes[at];
        if (++seen < 7)
            continue;
        for (unsigned shift = 8; shift-- > 0;) {
            uint64_t magic = word >> shift & MAGIC_MASK;
            uint64_t found = 8 * (at + 1) - MAGIC_BITS - shift;
            if ((magic == BLOCK_MAGIC || magic == END_MAGIC) && found >= bit)
                return found;
        }
    }
    uint64_t last = 8 * at - MAGIC_BITS; // it may end with the file
    return at == packed->size_bytes && last >= bit && bits_at(packed, last) == END_MAGIC ? last : 0;
}

// The 32 bits after a 48-bit number: the checksum of a block, or at the end that of the stream.
static uint32_t checksum_at(const struct packed *packed, uint64_t bit)
{
    return (uint32_t)(bits_at(packed, bit + MAGIC_BITS) >> (MAGIC_BITS - CHECKSUM_BITS));
}

static void begin_blocks(struct splitter *splitter, uint64_t byte)
{
    splitter->level = splitter->packed->bytes[byte + HEADER_BYTES - 1];
    splitter->checksum = 0;
    splitter->at = 8 * (byte + HEADER_BYTES);
}

// Moves from the end of a stream to the first block of the next. False: it cannot be found.
static bool pass_end(struct splitter *splitter)
{
    const struct packed *packed = splitter->packed;
    while (bits_at(packed, splitter->at) == END_MAGIC) {
        if (checksum_at(packed, splitter->at) != splitter->checksum)
            return false;
        uint64_t byte = (splitter->at + MAGIC_BITS + CHECKSUM_BITS + 7) / 8;
        if (byte >= packed->size_bytes) {
            splitter->is_ended = byte == packed->size_bytes;
            return splitter->is_ended;
        }
        if (!has_header(packed->bytes + byte, packed->size_bytes - byte))
            return false;
        begin_blocks(splitter, byte);
    }
    return bits_at(packed, splitter->at) == BLOCK_MAGIC;
}

static bool split(struct splitter *splitter, struct packed_chunk *chunk)
{
    if (!splitter->is_begun) {
        splitter->is_begun = true;
        begin_blocks(splitter, 0);
    }
    bool is_known = !splitter->is_ended && pass_end(splitter);
    if (splitter->is_ended)
        return false;
    uint64_t next = is_known ? next_magic(splitter->packed, splitter->at + MAGIC_BITS) : 0;
    // If the end is not found, the chunk is invalid, and the file is read as a whole.
    *chunk = (struct packed_chunk){
        .from = splitter->at, .to = next ? next : splitter->at, .level = splitter->level};
    splitter->checksum = (splitter->checksum << 1 | splitter->checksum >> 31) ^
                         checksum_at(splitter->packed, splitter->at);
    splitter->is_ended = !next;
    splitter->at = next;
    return true;
}

// --- A block as a stream -------------------------------------------------------------------------

struct bit_writer {
    uint8_t *bytes;
    uint64_t bit;
};

static void put_bits(struct bit_writer *writer, uint64_t value, unsigned count)
{
    while (count--) {
        if (value >> count & 1)
            writer->bytes[writer->bit / 8] |= (uint8_t)(128 >> writer->bit % 8);
        writer->bit++;
    }
}

static bool make_stream(struct bzip2 *bzip2, const struct packed *packed, struct packed_chunk chunk)
{
    uint64_t size_bytes = (chunk.to - chunk.from) / 8 + FRAME_BYTES + HEADER_BYTES;
    struct bit_writer writer = {calloc(1, (size_t)size_bytes), 8 * HEADER_BYTES};
    bzip2->block = writer.bytes;
    if (!writer.bytes)
        return false;
    memcpy(writer.bytes, "BZh", HEADER_BYTES - 1);
    writer.bytes[HEADER_BYTES - 1] = chunk.level;
    // Copies the bits of a block from any bit to the beginning of a byte.
    uint64_t bit = chunk.from;
    unsigned shift = bit % 8;
    for (; bit + 8 <= chunk.to; bit += 8, writer.bit += 8) {
        const uint8_t *at = packed->bytes + bit / 8;
        writer.bytes[writer.bit / 8] =
            shift ? (uint8_t)(at[0] << shift | at[1] >> (8 - shift)) : at[0];
    }
    for (; bit < chunk.to; bit++)
        put_bits(&writer, packed->bytes[bit / 8] >> (7 - bit % 8) & 1, 1);
    put_bits(&writer, END_MAGIC, MAGIC_BITS);
    // The checksum of a stream of one block is that of the block.
    put_bits(&writer, checksum_at(packed, chunk.from), CHECKSUM_BITS);
    bzip2->block_bytes = (writer.bit + 7) / 8;
    return true;
}

// --- Streams -------------------------------------------------------------------------------------

static struct unpacker *begin(const struct packed *packed, struct packed_chunk chunk)
{
    struct bzip2 *bzip2 = calloc(1, sizeof *bzip2);
    if (!bzip2)
        return NULL;
    bzip2->base = (struct unpacker){
        .codec = &codec_bzip2, .packed = packed, .at = chunk.from, .end = packed->size_bytes};
    if (chunk.to == CHUNK_REST)
        return &bzip2->base;
    bzip2->base.at = chunk.from / 8;
    if (chunk.to == chunk.from)
        bzip2->base.fault = "are damaged";
    else if (!make_stream(bzip2, packed, chunk)) {
        free(bzip2);
        return NULL;
    }
    return &bzip2->base;
}

static enum unpack_result fail(struct bzip2 *bzip2, const char *fault)
{
    bzip2->base.fault = fault;
    return UNPACK_DAMAGED;
}

// The position where the stream is read: in the chunk, or in the file.
static uint64_t *place_of(struct bzip2 *bzip2)
{
    return bzip2->block ? &bzip2->block_at : &bzip2->base.at;
}

static enum unpack_result begin_at(struct bzip2 *bzip2, uint64_t place)
{
    *place_of(bzip2) = bzip2->stream_at = place;
    bzip2->stream = (bz_stream){0};
    bzip2->is_begun = BZ2_bzDecompressInit(&bzip2->stream, 0, bzip2->is_careful) == BZ_OK;
    return bzip2->is_begun ? UNPACK_MORE : UNPACK_NO_MEMORY;
}

// Begins the next stream after the previous one.
static enum unpack_result begin_stream(struct bzip2 *bzip2)
{
    struct unpacker *base = &bzip2->base;
    uint64_t left = base->end - base->at;
    if (!bzip2->block && bzip2->is_after_stream && left == 0)
        return UNPACK_END;
    if (!bzip2->block && !has_header(base->packed->bytes + base->at, left))
        return fail(bzip2, bzip2->is_after_stream ? UNPACK_GARBAGE : UNPACK_CUT);
    bzip2->stream_made = 0;
    return begin_at(bzip2, *place_of(bzip2));
}

static enum unpack_result read_stream(struct bzip2 *bzip2, uint8_t *bytes, size_t capacity,
                                      size_t *have)
{
    bz_stream *stream = &bzip2->stream;
    const struct unpacker *base = &bzip2->base;
    size_t room = (size_t)u64_min(capacity - *have, UINT64_C(1) << 30);
    // What libbz2 reads next: of the chunk, or of the file.
    const uint8_t *next =
        bzip2->block ? bzip2->block + bzip2->block_at : base->packed->bytes + base->at;
    size_t left =
        bzip2->block ? (size_t)(bzip2->block_bytes - bzip2->block_at) : unpacker_left(base);
    if (bzip2->again) // its text is overwritten by other text
        room = (size_t)u64_min(room, bzip2->again);
    stream->next_in = (char *)(uintptr_t)next;
    stream->avail_in = (unsigned)left;
    stream->next_out = (char *)bytes + *have;
    stream->avail_out = (unsigned)room;
    int result = BZ2_bzDecompress(stream);
    size_t taken = left - stream->avail_in, made = room - stream->avail_out;
    *place_of(bzip2) += taken;
    if (bzip2->again) {
        bzip2->again -= made;
    } else {
        bzip2->stream_made += made;
        *have += made;
    }
    bool has_moved = taken || made;
    if (result == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(&bzip2->stream);
        bzip2->is_begun = false;
        bzip2->is_after_stream = true;
        return bzip2->block ? UNPACK_END : UNPACK_MORE;
    }
    if (result == BZ_MEM_ERROR)
        return UNPACK_NO_MEMORY;
    if (result == BZ_DATA_ERROR && !bzip2->is_careful) {
        // When a block is damaged, libbz2 does not report how much text this call has produced. The
        // text would then end where it was last requested, which does not depend on the file.
        // libbz2's small mode does report it, so the stream is read again.
        BZ2_bzDecompressEnd(&bzip2->stream);
        bzip2->is_careful = true;
        bzip2->again = bzip2->stream_made;
        return begin_at(bzip2, bzip2->stream_at);
    }
    if (result != BZ_OK)
        return fail(bzip2, "are damaged");
    return has_moved ? UNPACK_MORE : fail(bzip2, UNPACK_CUT);
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct bzip2 *bzip2 = (struct bzip2 *)(void *)unpacker;
    enum unpack_result result = unpacker->fault ? UNPACK_DAMAGED : UNPACK_MORE;
    for (*have = 0; result == UNPACK_MORE && *have < capacity;)
        result = bzip2->is_begun ? read_stream(bzip2, bytes, capacity, have) : begin_stream(bzip2);
    return result;
}

static void end(struct unpacker *unpacker)
{
    struct bzip2 *bzip2 = (struct bzip2 *)(void *)unpacker;
    if (bzip2->is_begun)
        BZ2_bzDecompressEnd(&bzip2->stream);
    free(bzip2->block);
    free(bzip2);
}

const struct codec codec_bzip2 = {
    .name = "bzip2",
    .is = is_bzip2,
    .split = split,
    .begin = begin,
    .read = read_more,
    .end = end,
    .guesses_chunks = true,
};
