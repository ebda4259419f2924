// Compresses what is written: text with gzip (RFC 1952), as it comes; pages of tables as Zstandard
// frames. A program that was built without the libraries has src/bare.c instead.
#ifndef TRAWL_REPORT_PACKER_H
#define TRAWL_REPORT_PACKER_H

#include "base/base.h"
#include "report/thrift.h"

struct packer;

// Receives compressed bytes.
typedef void packer_sink(void *self, const char *bytes, size_t length);

// Whether this program can compress: not if it was built without zlib.
bool packer_is_there(void);

// NULL: no memory.
struct packer *packer_new(packer_sink *sink, void *self);

// Compresses more bytes. Compressed ones go to the sink when there are enough of them.
void packer_put(struct packer *packer, const char *bytes, size_t length);

// Compresses the rest and ends the file.
void packer_end(struct packer *packer);

// NULL is allowed.
void packer_free(struct packer *packer);

// Compresses bytes to a Zstandard frame.

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
