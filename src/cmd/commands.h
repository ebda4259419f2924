// Every command there is, in the order of the help. A file in this folder defines each.
#ifndef TRAWL_CMD_COMMANDS_H
#define TRAWL_CMD_COMMANDS_H

#include "base/base.h"
#include "cli/options.h"

// COMMAND(name) for each: `name`_command is its command_spec.
#define ALL_COMMANDS(COMMAND)                                                                      \
    COMMAND(index)                                                                                 \
    COMMAND(merge)                                                                                 \
    COMMAND(farm)                                                                                  \
    COMMAND(browse)                                                                                \
    COMMAND(serve)                                                                                 \
    COMMAND(gdb)                                                                                   \
    COMMAND(gdbserver)                                                                             \
    COMMAND(mcp)                                                                                   \
    COMMAND(profile)                                                                               \
    COMMAND(calltree)                                                                              \
    COMMAND(calls)                                                                                 \
    COMMAND(callinfo)                                                                              \
    COMMAND(flamegraph)                                                                            \
    COMMAND(vcd)                                                                                   \
    COMMAND(coverage)                                                                              \
    COMMAND(annotate)                                                                              \
    COMMAND(export)                                                                                \
    COMMAND(state)                                                                                 \
    COMMAND(writes)                                                                                \
    COMMAND(reads)                                                                                 \
    COMMAND(origin)                                                                                \
    COMMAND(reaches)                                                                               \
    COMMAND(pc)                                                                                    \
    COMMAND(find)                                                                                  \
    COMMAND(stack)                                                                                 \
    COMMAND(tasks)                                                                                 \
    COMMAND(show)                                                                                  \
    COMMAND(grep)                                                                                  \
    COMMAND(diff)                                                                                  \
    COMMAND(check)                                                                                 \
    COMMAND(info)                                                                                  \
    COMMAND(verify)                                                                                \
    COMMAND(doctor)                                                                                \
    COMMAND(bench)                                                                                 \
    COMMAND(sframe)                                                                                \
    COMMAND(xray)                                                                                  \
    COMMAND(tfile)                                                                                 \
    COMMAND(manual)                                                                                \
    COMMAND(completion)                                                                            \
    COMMAND(tarmac_browser)                                                                        \
    COMMAND(tarmac_profile)                                                                        \
    COMMAND(tarmac_calltree)                                                                       \
    COMMAND(tarmac_callinfo)                                                                       \
    COMMAND(tarmac_flamegraph)                                                                     \
    COMMAND(tarmac_gui_browser)                                                                    \
    COMMAND(tarmac_vcd)

#define COMMAND_DECLARATION(name) extern const struct command_spec name##_command;
ALL_COMMANDS(COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

// All of them; NULL ends the list.
extern const struct command_spec *const all_commands[];

// With --latency, `profile` is this one.
extern const struct command_spec profile_latency_command;

// --- confinement.c -------------------------------------------------------------------------------

// A run is confined to what its command line names (base/sandbox.h): it reads the named files, what
// is next to them, and system files that programs read; it writes next to traces, to outputs and to
// temporary files.

// Removes --no-sandbox from the arguments, if `has_option`; unless it was there, or TRAWL_SANDBOX
// is "off", the process is confined from now on. Returns how many arguments are left. The child
// processes that open a browser (cmd/opener.h) and that request debug files (elf/debug_file.h)
// must be started before.
int confine(int argc, char **argv, bool has_option);

#endif
