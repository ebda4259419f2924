// Recognizes files that are often given instead of a trace, by their first bytes.
#ifndef TRAWL_TRACE_FOREIGN_H
#define TRAWL_TRACE_FOREIGN_H

#include <stdint.h>

// The number of bytes that foreign_kind needs.
#define FOREIGN_MAGIC_BYTES 12

// Says what a file with these first bytes is, and what to do about it. NULL: it may be a trace.
const char *foreign_kind(const void *data, uint64_t size_bytes);

// The same for a directory: a trace in the Common Trace Format is one. NULL: it is not a directory,
// or has something else.
const char *foreign_directory(const char *path);

#endif
