// Files that are often given in place of a trace, recognized by their first bytes.
#ifndef TRAWL_TRACE_FOREIGN_H
#define TRAWL_TRACE_FOREIGN_H

#include <stdint.h>

// How many bytes foreign_kind wants to see.
#define FOREIGN_MAGIC_BYTES 12

// What a file that begins so is, and what to do about it; NULL: it may be a trace.
const char *foreign_kind(const void *data, uint64_t size_bytes);

#endif
