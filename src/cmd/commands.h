// Every command there is. A file in this folder defines each.
#ifndef TRAWL_CMD_COMMANDS_H
#define TRAWL_CMD_COMMANDS_H

#include "cli/options.h"

extern const struct command_spec index_command;
extern const struct command_spec browse_command, serve_command, tarmac_browser_command;
extern const struct command_spec tarmac_gui_browser_command;
extern const struct command_spec gdb_command, gdbserver_command;
extern const struct command_spec profile_command, tarmac_profile_command;
extern const struct command_spec calltree_command, tarmac_calltree_command;
extern const struct command_spec callinfo_command, tarmac_callinfo_command;
extern const struct command_spec flamegraph_command, tarmac_flamegraph_command;
extern const struct command_spec export_command;
extern const struct command_spec vcd_command, tarmac_vcd_command;
extern const struct command_spec coverage_command;
extern const struct command_spec annotate_command;
extern const struct command_spec state_command, writes_command, pc_command, stack_command;
extern const struct command_spec show_command, grep_command, diff_command;
extern const struct command_spec info_command, verify_command, doctor_command, bench_command;
extern const struct command_spec sframe_command, xray_command, tfile_command;
extern const struct command_spec merge_command, farm_command;
extern const struct command_spec manual_command, completion_command;

// All of them, in the order of the help; NULL ends the list.
extern const struct command_spec *const all_commands[];

#endif
