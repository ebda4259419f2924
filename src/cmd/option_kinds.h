// Which options apply to which traces, by the capabilities of a trace. An option that would be
// ignored is refused as soon as the kind of the trace is known.
#ifndef TRAWL_CMD_OPTION_KINDS_H
#define TRAWL_CMD_OPTION_KINDS_H

#include "cmd/trace_command.h"

// A row of a command's own table, which goes before what holds for all commands; 0 ends it.
struct option_kinds {
    int option;
    unsigned needs;   // what a trace must be able to do (enum trace_ability)
    unsigned without; // and what it must not
};

// Of a trace whose kind is known. False: an option that was given means nothing for it, which is
// reported; *status is what to end with.
bool option_kinds_check(struct trace_command *command, enum exit_status *status);

#endif
