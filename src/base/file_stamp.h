// The identity and state of a file, to find out whether its name now belongs to another file,
// whether it was written to, or whether it is being written.
#ifndef TRAWL_BASE_FILE_STAMP_H
#define TRAWL_BASE_FILE_STAMP_H

#include "base/base.h"

#include <sys/types.h>

// All zero: no file.
struct file_stamp {
    uint64_t device, inode, size_bytes, mtime_ns;
};

// The stamp of the file at a path, or of an open file. All zero: there is none.
struct file_stamp file_stamp_at(const char *path);
struct file_stamp file_stamp_of(int fd);

bool file_stamp_is_none(const struct file_stamp *stamp);

// Whether it is the same file and was not written to; and whether it is at least the same file.
bool file_stamp_equals(const struct file_stamp *a, const struct file_stamp *b);
bool file_stamp_is_same_file(const struct file_stamp *a, const struct file_stamp *b);

// Whether another process has a file open for writing. We must have it open only for reading, by
// this descriptor only. False also if that cannot be determined: the file is not ours and we are
// not root, or its file system has no leases, like many network file systems.
bool file_has_writers(int fd);

// Whether it is certain that no process has it open for writing.
bool file_has_no_writers(int fd);

// --- The first bytes -----------------------------------------------------------------------------

// Reads the first bytes of a file to find out what it is.

// Reads the first `size_bytes` bytes of the open file, or as many as it has; -1, with errno, if
// they cannot be read. Continues after short reads and interruptions.
ssize_t file_start_read(int fd, void *bytes, size_t size_bytes);

// Whether the file at `path` can be read and begins with these bytes, at most 16. Never waits and
// never changes anything, even if it is a pipe or a device.
bool file_starts_with(const char *path, const void *bytes, size_t size_bytes);

#endif
