// System information for commands.
#ifndef TRAWL_CMD_SYSTEM_H
#define TRAWL_CMD_SYSTEM_H

#include "base/base.h"

// The processors that this process may run on: 1 to LIMIT_THREADS.
unsigned processor_count(void);

// Whether two paths lead to the same file; not if one of them leads nowhere.
bool is_same_file(const char *a, const char *b);

#endif
