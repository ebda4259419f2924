// Counts of the instructions of a trace, for the reports based on them.
#ifndef TRAWL_CMD_INSTRUCTION_COUNTS_H
#define TRAWL_CMD_INSTRUCTION_COUNTS_H

#include "cmd/trace_command.h"
#include "flow/pc_counts.h"

// Goes over the trace, which must be open (trace_command_open_images), and adds what the selected
// lanes executed within the filter's range. False: reported, end with *status.
bool instruction_counts_add(struct trace_command *command, struct pc_counts *counts,
                            enum exit_status *status);

#endif
