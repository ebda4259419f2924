// For programs without zlib.
#include "report/packer.h"

bool packer_is_there(void)
{
    return false;
}

struct packer *packer_new(packer_sink *sink, void *self)
{
    (void)sink;
    (void)self;
    return NULL;
}

void packer_put(struct packer *packer, const char *bytes, size_t length)
{
    (void)packer;
    (void)bytes;
    (void)length;
}

void packer_end(struct packer *packer)
{
    (void)packer;
}

void packer_free(struct packer *packer)
{
    (void)packer;
}

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
