// The first bytes of a file, which say what it is.
#ifndef TRAWL_BASE_FILE_START_H
#define TRAWL_BASE_FILE_START_H

#include "base/base.h"

#include <sys/types.h>

// Reads the first `size_bytes` bytes of the open file, or as many as it has; -1, with errno, where
// they cannot be read. A system that gives fewer at a time, or is interrupted, is asked again.
ssize_t file_start_read(int fd, void *bytes, size_t size_bytes);

// Whether the file at `path` can be read and begins with these bytes, 16 at most. Whatever it is, a
// pipe or a device too, this neither waits nor does anything.
bool file_starts_with(const char *path, const void *bytes, size_t size_bytes);

#endif
