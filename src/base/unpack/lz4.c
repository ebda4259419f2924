// LZ4 frames by liblz4, one after the other.
#include "base/unpack/codecs.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT32_C(0x184d2204)

struct lz4 {
    struct unpacker base;
    LZ4F_dctx *context;
    bool is_in_frame;
};

static bool is_lz4(const struct packed *packed)
{
    return packed->size_bytes >= 7 && packed_u32(packed->bytes) == MAGIC;
}

static struct unpacker *begin(const struct packed *packed, struct piece piece)
{
    struct lz4 *lz4 = calloc(1, sizeof *lz4);
    if (!lz4 || LZ4F_isError(LZ4F_createDecompressionContext(&lz4->context, LZ4F_VERSION))) {
        free(lz4);
        return NULL;
    }
    lz4->base = (struct unpacker){
        .codec = &codec_lz4, .packed = packed, .at = piece.from, .end = piece_end(packed, piece)};
    return &lz4->base;
}

static enum unpack_result fail(struct lz4 *lz4, size_t code)
{
    const char *name = LZ4F_getErrorName(code);
    if (strstr(name, "allocation"))
        return UNPACK_NO_MEMORY;
    lz4->base.fault = strstr(name, "frameType") ? UNPACK_GARBAGE
                      : strstr(name, "hecksum") ? "do not have the checksum that they should"
                                                : "are damaged";
    return UNPACK_DAMAGED;
}

static enum unpack_result read_more(struct unpacker *unpacker, uint8_t *bytes, size_t capacity,
                                    size_t *have)
{
    struct lz4 *lz4 = (struct lz4 *)(void *)unpacker;
    for (*have = 0; *have < capacity;) {
        size_t left = unpacker_left(unpacker), room = capacity - *have;
        if (!left && !lz4->is_in_frame)
            return UNPACK_END;
        size_t result = LZ4F_decompress(lz4->context, bytes + *have, &room,
                                        unpacker->packed->bytes + unpacker->at, &left, NULL);
        if (LZ4F_isError(result))
            return fail(lz4, result);
        unpacker->at += left;
        *have += room;
        lz4->is_in_frame = result != 0;
        if (!left && !room && result) {
            unpacker->fault = UNPACK_CUT;
            return UNPACK_DAMAGED;
        }
    }
    return UNPACK_MORE;
}

static void end(struct unpacker *unpacker)
{
    struct lz4 *lz4 = (struct lz4 *)(void *)unpacker;
    LZ4F_freeDecompressionContext(lz4->context);
    free(lz4);
}

const struct codec codec_lz4 = {"lz4", is_lz4, NULL, NULL, begin, read_more, end, false, NULL};
