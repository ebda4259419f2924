// Whether somebody is writing a file.
#ifndef TRAWL_BASE_WRITERS_H
#define TRAWL_BASE_WRITERS_H

#include "base/base.h"

// Whether some process has the file open for writing that we have open for reading only, by this
// descriptor alone. False where that cannot be known: the file is neither ours nor are we root, or
// it is on a file system without leases, such as many over a network.
bool file_has_writers(int fd);

// Whether certainly none has.
bool file_has_no_writers(int fd);

#endif
