// What is written, packed by gzip (RFC 1952) on its way.
#ifndef TRAWL_REPORT_PACKER_H
#define TRAWL_REPORT_PACKER_H

#include "base/base.h"

struct packer;

// Takes packed bytes.
typedef void packer_sink(void *self, const char *bytes, size_t length);

// Whether this program can pack: not where it was built without zlib.
bool packer_is_there(void);

// NULL: there is no memory.
struct packer *packer_new(packer_sink *sink, void *self);

// Packs more bytes. Packed ones go to the sink when there are enough of them.
void packer_put(struct packer *packer, const char *bytes, size_t length);

// Packs what is left and ends the file.
void packer_end(struct packer *packer);

// NULL is allowed.
void packer_free(struct packer *packer);

#endif
