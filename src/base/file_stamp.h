// The identity and state of a file, to find out whether its name now belongs to another file, or
// whether it was written to.
#ifndef TRAWL_BASE_FILE_STAMP_H
#define TRAWL_BASE_FILE_STAMP_H

#include "base/base.h"

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

#endif
