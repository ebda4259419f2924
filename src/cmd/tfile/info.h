// `trawl info` of a GDB trace file.
#ifndef TRAWL_CMD_TFILE_INFO_H
#define TRAWL_CMD_TFILE_INFO_H

#include "cmd/tfile/commands.h"

// Writes what the file, which is found but not open, holds; returns the status to end with.
enum exit_status tfile_info(struct trace_command *command, bool lists_functions, bool lists_sizes);

#endif
