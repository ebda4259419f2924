// Reports that more than one command writes: their steps (struct command_steps).
#ifndef TRAWL_CMD_REPORTS_H
#define TRAWL_CMD_REPORTS_H

#include "cmd/command.h"

// The call tree, in command->table_format: that of `trawl calltree`.
bool report_call_tree(struct command *command);

// Collapsed stacks: that of `trawl flamegraph`, if it is not a picture.
bool report_collapsed_stacks(struct command *command);

// Time by stack as a profile of callgrind, and of pprof.
bool report_callgrind(struct command *command);
bool report_pprof(struct command *command);

#endif
