// System information for commands.
#ifndef TRAWL_CMD_SYSTEM_H
#define TRAWL_CMD_SYSTEM_H

#include "base/base.h"

// The processors that this process may run on: 1 to LIMIT_THREADS.
unsigned processor_count(void);

// Whether two paths lead to the same file; not if one of them leads nowhere.
bool is_same_file(const char *a, const char *b);

#define COUNTED_ONCE                                                                               \
    "the same file is named before; it is counted once" // a warning, after its name

// For inputs that are to be read once: sets first[i] to the first of the paths that leads to the
// same file as paths[i], which is i if none before does. Hard links are different files. False: no
// memory.
bool find_same_files(const char *const *paths, size_t count, size_t *first);

#endif
