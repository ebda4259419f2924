// Reads the first bytes of a file to find out what it is.
#ifndef TRAWL_BASE_FILE_START_H
#define TRAWL_BASE_FILE_START_H

#include "base/base.h"

#include <sys/types.h>

// Reads the first `size_bytes` bytes of the open file, or as many as it has; -1, with errno, if
// they cannot be read. Continues after short reads and interruptions.
ssize_t file_start_read(int fd, void *bytes, size_t size_bytes);

// Whether the file at `path` can be read and begins with these bytes, at most 16. Never waits and
// never changes anything, even if it is a pipe or a device.
bool file_starts_with(const char *path, const void *bytes, size_t size_bytes);

#endif
