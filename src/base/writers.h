// Whether any process is writing a file.
#ifndef TRAWL_BASE_WRITERS_H
#define TRAWL_BASE_WRITERS_H

#include "base/base.h"

// Whether another process has a file open for writing. We must have it open only for reading, by
// this descriptor only. False also if that cannot be determined: the file is not ours and we are
// not root, or its file system has no leases, like many network file systems.
bool file_has_writers(int fd);

// Whether it is certain that no process has it open for writing.
bool file_has_no_writers(int fd);

#endif
