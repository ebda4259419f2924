// Which options apply to which traces, by the capabilities of a trace. An option that would be
// ignored is refused as soon as the kind of the trace is known.
#ifndef TRAWL_CMD_OPTION_KINDS_H
#define TRAWL_CMD_OPTION_KINDS_H

#include "cmd/trace_command.h"

// A row of a command's own table, which takes precedence over that for all commands; 0 ends it.
struct option_kinds {
    int option;
    unsigned needs;   // abilities that a trace must have (enum trace_ability)
    unsigned without; // and must not have
};

// For a trace whose kind is known. False: a given option does not apply to it, which is reported;
// end with *status.
bool option_kinds_check(struct trace_command *command, enum exit_status *status);

#endif
