#include "report/zstd_pack.h"

#include <zstd.h>

// The input is already compact because of its encoding: the next levels gain a twentieth for twice
// the time.
#define LEVEL 1

struct zstd_pack;

static ZSTD_CCtx *context_of(struct zstd_pack *pack)
{
    return (ZSTD_CCtx *)(void *)pack;
}

bool zstd_pack_is_there(void)
{
    return true;
}

struct zstd_pack *zstd_pack_new(void)
{
    return (struct zstd_pack *)(void *)ZSTD_createCCtx();
}

bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed)
{
    packed->count = 0;
    size_t bound = ZSTD_compressBound(length);
    if (!VEC_ROOM(packed, bound))
        return false;
    size_t written =
        ZSTD_compressCCtx(context_of(pack), packed->items, bound, bytes, length, LEVEL);
    if (ZSTD_isError(written)) // there is enough room, so only memory can be lacking
        return false;
    packed->count = written;
    return true;
}

void zstd_pack_free(struct zstd_pack *pack)
{
    ZSTD_freeCCtx(context_of(pack));
}
