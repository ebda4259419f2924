// Recognizes files that are often given instead of a trace, by their first bytes.
#ifndef TRAWL_TRACE_UNKNOWN_FORMAT_H
#define TRAWL_TRACE_UNKNOWN_FORMAT_H

#include <stdint.h>

// The number of bytes that unknown_format_of needs.
#define UNKNOWN_FORMAT_MAGIC_BYTES 12

// Says what a file with these first bytes is, and what to do about it. NULL: it may be a trace.
const char *unknown_format_of(const void *data, uint64_t size_bytes);

// The same for a directory: a trace in the Common Trace Format is one. NULL: it is not a directory,
// or has something else.
const char *unknown_format_of_directory(const char *path);

#endif
