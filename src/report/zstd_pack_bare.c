// For programs without libzstd.
#include "report/zstd_pack.h"

bool zstd_pack_is_there(void)
{
    return false;
}

struct zstd_pack *zstd_pack_new(void)
{
    return NULL;
}

bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed)
{
    (void)pack;
    (void)bytes;
    (void)length;
    (void)packed;
    return false;
}

void zstd_pack_free(struct zstd_pack *pack)
{
    (void)pack;
}
