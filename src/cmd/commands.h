// Every command there is, by what it is for, in the order of the help. A file in this folder
// defines each.
#ifndef TRAWL_CMD_COMMANDS_H
#define TRAWL_CMD_COMMANDS_H

#include "base/base.h"
#include "cli/options.h"

// PURPOSE(text) for what the commands after it are for, COMMAND(name) for each command:
// `name`_command is its command_spec. The first of a purpose gives it its example in the help.
#define ALL_COMMANDS(PURPOSE, COMMAND)                                                             \
    PURPOSE("first steps")                                                                         \
    COMMAND(demo)                                                                                  \
    PURPOSE("where the time goes")                                                                 \
    COMMAND(profile)                                                                               \
    COMMAND(flamegraph)                                                                            \
    COMMAND(calls)                                                                                 \
    COMMAND(calltree)                                                                              \
    COMMAND(callinfo)                                                                              \
    COMMAND(coverage)                                                                              \
    COMMAND(annotate)                                                                              \
    PURPOSE("what happened at a point")                                                            \
    COMMAND(browse)                                                                                \
    COMMAND(serve)                                                                                 \
    COMMAND(gdb)                                                                                   \
    COMMAND(gdbserver)                                                                             \
    COMMAND(show)                                                                                  \
    COMMAND(grep)                                                                                  \
    COMMAND(find)                                                                                  \
    COMMAND(pc)                                                                                    \
    COMMAND(state)                                                                                 \
    COMMAND(stack)                                                                                 \
    COMMAND(tasks)                                                                                 \
    PURPOSE("who wrote it, and what it reached")                                                   \
    COMMAND(writes)                                                                                \
    COMMAND(reads)                                                                                 \
    COMMAND(origin)                                                                                \
    COMMAND(reaches)                                                                               \
    PURPOSE("what is wrong")                                                                       \
    COMMAND(check)                                                                                 \
    COMMAND(doctor)                                                                                \
    PURPOSE("what changed between two runs")                                                       \
    COMMAND(diff)                                                                                  \
    PURPOSE("for other tools")                                                                     \
    COMMAND(export)                                                                                \
    COMMAND(vcd)                                                                                   \
    COMMAND(mcp)                                                                                   \
    PURPOSE("other kinds of traces and tables")                                                    \
    COMMAND(tfile)                                                                                 \
    COMMAND(xray)                                                                                  \
    COMMAND(sframe)                                                                                \
    PURPOSE("indexes, and farms")                                                                  \
    COMMAND(index)                                                                                 \
    COMMAND(info)                                                                                  \
    COMMAND(verify)                                                                                \
    COMMAND(merge)                                                                                 \
    COMMAND(farm)                                                                                  \
    COMMAND(bench)                                                                                 \
    PURPOSE("help")                                                                                \
    COMMAND(manual)                                                                                \
    COMMAND(completion)                                                                            \
    COMMAND(tarmac_browser)                                                                        \
    COMMAND(tarmac_profile)                                                                        \
    COMMAND(tarmac_calltree)                                                                       \
    COMMAND(tarmac_callinfo)                                                                       \
    COMMAND(tarmac_flamegraph)                                                                     \
    COMMAND(tarmac_gui_browser)                                                                    \
    COMMAND(tarmac_vcd)

#define NO_PURPOSE(text)
#define COMMAND_DECLARATION(name) extern const struct command_spec name##_command;
ALL_COMMANDS(NO_PURPOSE, COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

// All of them; NULL ends the list.
extern const struct command_spec *const all_commands[];

// The options that commands over a trace share (trace_options.c).
extern const struct common_options trace_common_options;

// The lines of `trawl help`.
extern const struct overview_line overview[];

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
