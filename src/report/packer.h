// Compresses output with gzip (RFC 1952) while it is written.
#ifndef TRAWL_REPORT_PACKER_H
#define TRAWL_REPORT_PACKER_H

#include "base/base.h"

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

#endif
