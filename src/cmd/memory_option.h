// The option --max-memory.
#ifndef TRAWL_CMD_MEMORY_OPTION_H
#define TRAWL_CMD_MEMORY_OPTION_H

#include "cli/diag.h"
#include "cli/options.h"

#define MEMORY_OPTION_TEXT                                                                         \
    "use no more memory than this; K, M or G allowed. This makes segments smaller, uses "          \
    "temporary files and fewer threads; a job that needs more memory fails"

// Takes its value and limits the process at once; `diag` will mention the option when memory runs
// out. OPTION_END, or OPTION_STOP with the misuse reported.
int memory_option_take(struct options_parser *parser, const struct option_match *match,
                       struct diag *diag);

#endif
