// `info` of a trace whose kind describes it (trace_kind.description), with or without an index.
#ifndef TRAWL_CMD_INFO_TRACE_H
#define TRAWL_CMD_INFO_TRACE_H

#include "cmd/trace_command.h"

#define INFO_LABEL_WIDTH 18

// The whole command, whose trace is known but not open. Returns the status to end with.
enum exit_status info_trace(struct trace_command *command, bool lists_functions, bool lists_sizes);

#endif
