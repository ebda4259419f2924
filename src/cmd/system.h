// System information for commands.
#ifndef TRAWL_CMD_SYSTEM_H
#define TRAWL_CMD_SYSTEM_H

#include "base/base.h"
#include "base/error.h"
#include "cli/diag.h"
#include "cli/options.h"

#include <limits.h>

// --- system.c ------------------------------------------------------------------------------------

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

// --- --max-memory --------------------------------------------------------------------------------

// The option --max-memory.

#define MEMORY_OPTION_TEXT                                                                         \
    "use no more memory than this; K, M or G allowed. This makes segments smaller, uses "          \
    "temporary files and fewer threads; a job that needs more memory fails"

// Takes its value and limits the process at once; `diag` will mention the option when memory runs
// out. OPTION_END, or OPTION_STOP with the misuse reported.
int memory_option_take(struct options_parser *parser, const struct option_match *match,
                       struct diag *diag);

// --- Programs ------------------------------------------------------------------------------------

// Where programs are that this one starts: others on $PATH, and this one itself.

// Whether a directory of $PATH has a program with this name.
bool program_is_on_path(const char *name);

// The absolute path of this program.
enum status program_own_path(char path[PATH_MAX], struct error *err);

#endif
