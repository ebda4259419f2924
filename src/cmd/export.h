// The parts of `trawl export`. Private to them.
#ifndef TRAWL_CMD_EXPORT_H
#define TRAWL_CMD_EXPORT_H

#include "cmd/query.h"
#include "export/event_table.h"

// The options for frames of a GDB trace file.
struct export_tfile_options {
    VEC(, const char *) at, visits, memory; // as typed
    uint64_t every;                         // 0: not given
};

// The steps of the command (struct command_steps) that write the trace file (for which the command
// asks the index); calls into a directory, in the Common Trace Format; a table of events, in
// command->table_format; the profile of each lane, likewise.
bool export_tfile(struct command *command, const struct export_tfile_options *options);
bool export_ctf(struct command *command);
bool export_event_table(struct command *command, enum event_table_kind kind);
bool export_functions(struct command *command);

#endif
