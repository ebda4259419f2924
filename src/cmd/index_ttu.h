// index --format ttu: the index that the browsers of the Tarmac Trace Utilities read.
#ifndef TRAWL_CMD_INDEX_TTU_H
#define TRAWL_CMD_INDEX_TTU_H

#include "cmd/command.h"

// Writes the index of the trace at `path` to command->output. `common` has all options.
enum exit_status index_ttu(struct command *common, const char *path);

#endif
