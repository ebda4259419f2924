// LZ4 frames, by liblz4, one after the other. If the blocks of a frame are independent of each
// other, which is the default of lz4, runs of them are chunks. The checksum of a frame covers all
// its text, and is checked by the reader, which reads the chunks in order. Anything unusual is left
// to liblz4, which reads frames from their beginnings.
#include "base/library.h"
#include "base/unpack/codec.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MAGIC UINT32_C(0x184d2204)

enum { SHORTEST_HEADER_BYTES = 7, LONGEST_HEADER_BYTES = 15, SIZE_BYTES = 4, CHECKSUM_BYTES = 4 };
enum {
    FLAG_INDEPENDENT = 32,
    FLAG_BLOCK_SUMS = 16,
    FLAG_SIZE = 8,
    FLAG_SUM = 4,
    FLAG_DICTIONARY = 1
};
#define BLOCK_IS_STORED UINT32_C(0x80000000)

// The least compressed bytes of a chunk.
#define CHUNK_BYTES (UINT64_C(256) << 10)

// The level of a chunk of blocks: their maximum size, as in the header of the frame (4 to 7), and
// whether each has a checksum.
enum { LEVEL_BLOCKS = 0x40, LEVEL_SUMS = 8, LEVEL_SIZE = 7 };

struct lz4 {
    struct unpacker base;
    LZ4F_dctx *context; // NULL: the chunk consists of blocks
    size_t wanted;      // bytes that liblz4 wants next, including the size of the following block;
                        // 0: a frame begins
    bool is_full;       // liblz4 may have text for which there was no room
    uint8_t level;
    uint8_t *block; // the current block
    size_t block_bytes, block_at, block_most;
};

static struct {
    __typeof__(LZ4F_createDecompressionContext) *create;
    __typeof__(LZ4F_decompress) *decompress;
    __typeof__(LZ4F_freeDecompressionContext) *free;
    __typeof__(LZ4F_isError) *is_error;
    __typeof__(LZ4F_getErrorName) *error_name;
    __typeof__(LZ4_decompress_safe) *decompress_block;
} liblz4;

static const struct library_function liblz4_functions[] = {
    LIBRARY_FUNCTION(LZ4F_createDecompressionContext, liblz4.create),
    LIBRARY_FUNCTION(LZ4F_decompress, liblz4.decompress),
    LIBRARY_FUNCTION(LZ4F_freeDecompressionContext, liblz4.free),
    LIBRARY_FUNCTION(LZ4F_isError, liblz4.is_error),
    LIBRARY_FUNCTION(LZ4F_getErrorName, liblz4.error_name),
    LIBRARY_FUNCTION(LZ4_decompress_safe, liblz4.decompress_block),
};

static struct library liblz4_library = {.file = "liblz4.so.1",
                                        .package = "liblz4-1",
                                        .use = "reading lz4",
                                        .functions = liblz4_functions,
                                        .count = ARRAY_COUNT(liblz4_functions)};

static bool is_lz4(const struct packed *packed)
{
    return packed->size_bytes >= 7 && packed_u32(packed->bytes) == MAGIC;
}

// --- Chunks --------------------------------------------------------------------------------------

struct frame {
    uint64_t from, blocks; // where the frame and its first block begin
    uint64_t text_bytes;   // UINT64_MAX: not stated
    bool has_sum;
    uint8_t level;
};

// Reads the header of a frame with independent blocks. False: it is not one, or is unusual.
static bool read_frame(const struct packed *packed, uint64_t at, struct frame *frame)
{
    const uint8_t *bytes = packed->bytes + at;
    if (packed->size_bytes - at < LONGEST_HEADER_BYTES || packed_u32(bytes) != MAGIC)
        return false;
    uint8_t flags = bytes[4], sizes = bytes[5];
    if (flags >> 6 != 1 || !(flags & FLAG_INDEPENDENT) || flags & (FLAG_DICTIONARY | 2) ||
        sizes & 0x8f || sizes >> 4 < 4)
        return false;
    unsigned descriptor = flags & FLAG_SIZE ? 10 : 2;
    if (bytes[4 + descriptor] != (XXH32(bytes + 4, descriptor, 0) >> 8 & 0xff))
        return false;
    *frame = (struct frame){
        .from = at,
        .blocks = at + 4 + descriptor + 1,
        .text_bytes =
            flags & FLAG_SIZE ? packed_u32(bytes + 6) | packed_u32(bytes + 10) << 32 : UINT64_MAX,
        .has_sum = flags & FLAG_SUM,
        .level = (uint8_t)(LEVEL_BLOCKS | (flags & FLAG_BLOCK_SUMS ? LEVEL_SUMS : 0) | sizes >> 4),
    };
    return true;
}

static size_t block_most(uint8_t level)
{
    return (size_t)1 << (8 + 2 * (level & LEVEL_SIZE));
}

// The end of the block that begins at `at`; 0: there is none.
static uint64_t block_end(const struct packed *packed, uint64_t at, uint8_t level)
{
    if (packed->size_bytes - at < SIZE_BYTES)
        return 0;
    uint64_t size_bytes = packed_u32(packed->bytes + at) & ~(uint64_t)BLOCK_IS_STORED;
    uint64_t left = packed->size_bytes - at - SIZE_BYTES;
    uint64_t wanted = size_bytes + (level & LEVEL_SUMS ? CHECKSUM_BYTES : 0);
    return size_bytes && size_bytes <= block_most(level) && wanted <= left
               ? at + SIZE_BYTES + wanted
               : 0;
}

static bool is_end_mark(const struct packed *packed, uint64_t at)
{
    return packed->size_bytes - at >= SIZE_BYTES && packed_u32(packed->bytes + at) == 0;
}

// Moves to what follows a frame after its end mark. False: the file ends there.
static bool pass_end(struct splitter *splitter)
{
    const struct frame *frame = splitter->own;
    uint64_t end_bytes = SIZE_BYTES + (frame->has_sum ? CHECKSUM_BYTES : 0);
    if (splitter->packed->size_bytes - splitter->at < end_bytes)
        return false;
    splitter->at += end_bytes;
    splitter->is_begun = false;
    return true;
}

// Begins the next frame. False: what follows is left to liblz4.
static bool begin_frame(struct splitter *splitter)
{
    if (!splitter->own && !(splitter->own = calloc(1, sizeof(struct frame))))
        return false;
    struct frame *frame = splitter->own;
    splitter->is_begun = read_frame(splitter->packed, splitter->at, frame) &&
                         block_end(splitter->packed, frame->blocks, frame->level);
    if (splitter->is_begun)
        splitter->at = frame->blocks;
    return splitter->is_begun;
}

static void split_end(struct splitter *splitter)
{
    free(splitter->own);
    splitter->own = NULL;
}

static bool split(struct splitter *splitter, struct packed_chunk *chunk)
{
    const struct packed *packed = splitter->packed;
    if (splitter->at >= packed->size_bytes)
        return false;
    if (!splitter->is_begun && !begin_frame(splitter)) {
        *chunk = (struct packed_chunk){.from = splitter->at, .to = CHUNK_REST};
        splitter->at = packed->size_bytes;
        return true;
    }
    const struct frame *frame = splitter->own;
    uint64_t from = splitter->at, at = from, next;
    while (at - from < CHUNK_BYTES && (next = block_end(packed, at, frame->level)))
        at = next;
    *chunk = (struct packed_chunk){from, at, frame->level, frame->from};
    splitter->at = at;
    // If neither a block nor an end mark follows, the chunk is invalid.
    if (is_end_mark(packed, at) && !pass_end(splitter))
        *chunk = (struct packed_chunk){from, from, frame->level, frame->from};
    return true;
}

// --- The checksum of a frame ---------------------------------------------------------------------

static void sum_chunk(struct chunk_sums *sums, const struct packed *packed,
                      struct packed_chunk chunk)
{
    struct frame frame;
    if (!read_frame(packed, chunk.frame, &frame) || chunk.from != frame.blocks)
        return;
    if (!sums->state)
        sums->state = XXH32_createState();
    if (sums->state)
        XXH32_reset(sums->state, 0);
    sums->size_bytes = 0;
    sums->frame = chunk.frame;
}

static void sum_text(struct chunk_sums *sums, const uint8_t *bytes, size_t size_bytes)
{
    if (sums->state && size_bytes)
        XXH32_update(sums->state, bytes, size_bytes);
    sums->size_bytes += size_bytes;
}

static bool sum_chunk_end(struct chunk_sums *sums, const struct packed *packed,
                          struct packed_chunk chunk, struct text_sum sum)
{
    struct frame frame;
    (void)sum;
    if (!sums->state || sums->frame != chunk.frame || !read_frame(packed, chunk.frame, &frame))
        return false;
    if (!is_end_mark(packed, chunk.to))
        return true;
    return (frame.text_bytes == UINT64_MAX || frame.text_bytes == sums->size_bytes) &&
           (!frame.has_sum ||
            packed_u32(packed->bytes + chunk.to + SIZE_BYTES) == XXH32_digest(sums->state));
}

static void sum_end(struct chunk_sums *sums)
{
    XXH32_freeState(sums->state);
    sums->state = NULL;
}

// --- Blocks, and frames --------------------------------------------------------------------------

static void end(struct unpacker *unpacker)
{
    struct lz4 *lz4 = (struct lz4 *)(void *)unpacker;
    if (lz4->context)
        liblz4.free(lz4->context);
    free(lz4->block);
    free(lz4);
}

static struct unpacker *begin(const struct packed *packed, struct packed_chunk chunk)
{
    struct lz4 *lz4 = calloc(1, sizeof *lz4);
    if (!lz4)
        return NULL;
    lz4->base = (struct unpacker){.codec = &codec_lz4,
                                  .packed = packed,
                                  .at = chunk.from,
                                  .end = packed_chunk_end(packed, chunk)};
    lz4->level = chunk.level;
    bool is_blocks = chunk.level & LEVEL_BLOCKS;
    lz4->block_most = is_blocks ? block_most(chunk.level) : 0;
    if (is_blocks && chunk.from == chunk.to)
        lz4->base.fault = "are damaged";
    if (is_blocks ? (lz4->block = malloc(lz4->block_most)) != NULL
                  : !liblz4.is_error(liblz4.create(&lz4->context, LZ4F_VERSION)))
        return &lz4->base;
    end(&lz4->base);
    return NULL;
}

// Decompresses the next block. False: it is damaged.
static bool next_block(struct lz4 *lz4)
{
    struct unpacker *base = &lz4->base;
    const uint8_t *bytes = base->packed->bytes;
    uint64_t end = block_end(base->packed, base->at, lz4->level);
    if (!end || end > base->end)
        return false;
    uint32_t header = (uint32_t)packed_u32(bytes + base->at);
    const uint8_t *data = bytes + base->at + SIZE_BYTES;
    size_t size_bytes = header & ~BLOCK_IS_STORED;
    if (lz4->level & LEVEL_SUMS && packed_u32(data + size_bytes) != XXH32(data, size_bytes, 0))
        return false;
    int made = (int)size_bytes;
    if (header & BLOCK_IS_STORED)
        memcpy(lz4->block, data, size_bytes);
    else
        made = liblz4.decompress_block((const char *)data, (char *)lz4->block, (int)size_bytes,
                                       (int)lz4->block_most);
    lz4->block_at = 0;
    lz4->block_bytes = made > 0 ? (size_t)made : 0;
    base->at = end;
    return made >= 0;
}

static enum unpack_result read_blocks(struct lz4 *lz4, uint8_t *bytes, size_t capacity,
                                      size_t *have)
{
    struct unpacker *base = &lz4->base;
    for (*have = 0; !base->fault && *have < capacity;) {
        if (lz4->block_at == lz4->block_bytes) {
            if (base->at == base->end)
                return UNPACK_END;
            if (!next_block(lz4))
                base->fault = "are damaged";
            continue;
        }
        size_t taken = (size_t)u64_min(capacity - *have, lz4->block_bytes - lz4->block_at);
        memcpy(bytes + *have, lz4->block + lz4->block_at, taken);
        lz4->block_at += taken;
        *have += taken;
    }
    return base->fault ? UNPACK_DAMAGED : UNPACK_MORE;
}

static enum unpack_result read_frames(struct lz4 *lz4, uint8_t *bytes, size_t capacity,
                                      size_t *have)
{
    struct unpacker *base = &lz4->base;
    for (*have = 0; *have < capacity;) {
        // liblz4 gets a header, a block, or only a checksum. On failure, it does not report how
        // much text it has produced, so it must not have any at that time.
        size_t wanted = lz4->wanted ? lz4->wanted : SHORTEST_HEADER_BYTES;
        if (lz4->wanted > SIZE_BYTES)
            wanted -= SIZE_BYTES;
        size_t room = capacity - *have;
        size_t taken = lz4->is_full ? 0 : (size_t)u64_min(unpacker_left(base), wanted);
        if (!taken && !lz4->wanted)
            return UNPACK_END;
        if (!taken && !lz4->is_full) {
            base->fault = UNPACK_CUT;
            return UNPACK_DAMAGED;
        }
        size_t result = liblz4.decompress(lz4->context, bytes + *have, &room,
                                          base->packed->bytes + base->at, &taken, NULL);
        if (liblz4.is_error(result)) {
            const char *name = liblz4.error_name(result);
            if (strstr(name, "allocation"))
                return UNPACK_NO_MEMORY;
            lz4->base.fault = strstr(name, "frameType") ? UNPACK_GARBAGE
                              : strstr(name, "hecksum") ? "have a wrong checksum"
                                                        : "are damaged";
            return UNPACK_DAMAGED;
        }
        base->at += taken;
        *have += room;
        lz4->wanted = result;
        lz4->is_full = *have == capacity;
    }
    return UNPACK_MORE;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct lz4 *lz4 = (struct lz4 *)(void *)unpacker;
    return lz4->context ? read_frames(lz4, bytes, capacity, have)
                        : read_blocks(lz4, bytes, capacity, have);
}

const struct codec codec_lz4 = {
    .name = "lz4",
    .library = &liblz4_library,
    .is = is_lz4,
    .split = split,
    .split_end = split_end,
    .begin = begin,
    .read = read_more,
    .end = end,
    .sum_chunk = sum_chunk,
    .sum_text = sum_text,
    .sum_chunk_end = sum_chunk_end,
    .sum_end = sum_end,
};
