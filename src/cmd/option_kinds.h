// Which options mean something for which kinds of traces. An option that would be ignored is
// refused as soon as the kind of the trace is known.
#ifndef TRAWL_CMD_OPTION_KINDS_H
#define TRAWL_CMD_OPTION_KINDS_H

#include "cmd/trace_command.h"

enum trace_kind {
    KIND_TARMAC = 1 << 0,
    KIND_XRAY = 1 << 1,
    KIND_TFILE = 1 << 2,
    KINDS_ALL = KIND_TARMAC | KIND_XRAY | KIND_TFILE,
};

// A row of a command's own table, which goes before what holds for all commands; 0 ends it.
struct option_kinds {
    int option;
    unsigned kinds; // of enum trace_kind
};

// Of a trace whose kind is known. False: an option that was given means nothing for it, which is
// reported; *status is what to end with.
bool option_kinds_check(struct trace_command *command, enum exit_status *status);

#endif
