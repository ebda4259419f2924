// Reports that are in files of their own, or that more than one command writes.
#ifndef TRAWL_CMD_REPORTS_H
#define TRAWL_CMD_REPORTS_H

#include "cmd/command.h"
#include "cmd/contexts.h"
#include "report/out.h"

// Steps of commands (struct command_steps): the call tree, in command->table_format: that of `trawl
// calltree`.
bool report_call_tree(struct command *command);

// Collapsed stacks: that of `trawl flamegraph`, if it is not a picture.
bool report_collapsed_stacks(struct command *command);

// Time by stack as a profile of callgrind, and of pprof.
bool report_callgrind(struct command *command);
bool report_pprof(struct command *command);

// --- collapsed_stacks.c --------------------------------------------------------------------------

// Writes collapsed stacks: one line for each stack, "main;work;sort 12", in bytewise order. Several
// threads write the text, each of whole subtrees, and the texts are put in order.

// False: no memory. `out` reports failed writes.
bool collapsed_stacks_write(struct command *command, const struct contexts *contexts,
                            struct out *out);

// --- lane_stacks.c -------------------------------------------------------------------------------

// The calls active at a point of a trace, which is read for this (trace/lane_stacks.h), for `trawl
// stack`.

// Shows the stack of the lane of --lane or of the point, otherwise of each lane.
bool lane_stacks_report(struct command *command);

#endif
