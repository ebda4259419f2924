// The commands of `trawl xray`, each in its own file.
#ifndef TRAWL_CMD_XRAY_COMMANDS_H
#define TRAWL_CMD_XRAY_COMMANDS_H

#include "cli/options.h"

extern const struct command_spec xray_account_command, xray_stack_command, xray_convert_command;
extern const struct command_spec xray_extract_command, xray_dump_command;
extern const struct command_spec xray_graph_command, xray_graph_diff_command;

#endif
