// Where programs are that this one starts: others on $PATH, and this one itself.
#ifndef TRAWL_CMD_PROGRAM_FILE_H
#define TRAWL_CMD_PROGRAM_FILE_H

#include "base/error.h"

#include <limits.h>

// Whether a directory of $PATH has a program with this name.
bool program_is_on_path(const char *name);

// The absolute path of this program.
enum status program_own_path(char path[PATH_MAX], struct error *err);

#endif
