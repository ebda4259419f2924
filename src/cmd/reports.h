// Reports that more than one command writes.
#ifndef TRAWL_CMD_REPORTS_H
#define TRAWL_CMD_REPORTS_H

#include "cmd/command.h"

// The call tree, in command->table_format: what `trawl calltree` does after its options.
enum exit_status report_call_tree(struct command *command);

// Collapsed stacks: what `trawl flamegraph` does after its options, if it is not a picture.
enum exit_status report_collapsed_stacks(struct command *command);

// Time by stack as a profile of callgrind, and of pprof.
enum exit_status report_callgrind(struct command *command);
enum exit_status report_pprof(struct command *command);

#endif
