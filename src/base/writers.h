// Whether any process is writing a file.
#ifndef TRAWL_BASE_WRITERS_H
#define TRAWL_BASE_WRITERS_H

#include "base/base.h"

// Whether a process has the file open for writing that we have open only for reading, by this
// descriptor alone. False if that cannot be determined: the file is not ours and we are not root,
// or its file system has no leases, as many network file systems.
bool file_has_writers(int fd);

// Whether it is certain that no process has.
bool file_has_no_writers(int fd);

#endif
