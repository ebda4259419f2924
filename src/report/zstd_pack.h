// Compresses bytes to a Zstandard frame.
#ifndef TRAWL_REPORT_ZSTD_PACK_H
#define TRAWL_REPORT_ZSTD_PACK_H

#include "report/thrift.h"

struct zstd_pack;

// Whether this program can compress: not if it was built without libzstd.
bool zstd_pack_is_there(void);

// NULL: no memory.
struct zstd_pack *zstd_pack_new(void);

// Makes `packed` one frame of the bytes; the same bytes always give the same frame. False: no
// memory.
bool zstd_pack_bytes(struct zstd_pack *pack, const void *bytes, size_t length,
                     struct byte_vec *packed);

// NULL is allowed.
void zstd_pack_free(struct zstd_pack *pack);

#endif
