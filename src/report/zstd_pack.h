// Bytes as a frame of Zstandard.
#ifndef TRAWL_REPORT_ZSTD_PACK_H
#define TRAWL_REPORT_ZSTD_PACK_H

#include "report/thrift.h"

struct zstd_pack;

// Whether this program can pack: not where it was built without libzstd.
bool zstd_pack_is_there(void);

// NULL: there is no memory.
struct zstd_pack *zstd_pack_new(void);

// Makes `packed` one frame of the bytes; the same bytes always make the same frame. False: there is
// no memory.
bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed);

// NULL is allowed.
void zstd_pack_free(struct zstd_pack *pack);

#endif
