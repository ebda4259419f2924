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

// Writes the trace file. Does the rest of the command.
enum exit_status export_tfile(struct command *query, const struct export_tfile_options *options);

// Writes calls into a directory, in the Common Trace Format. Does the rest of the command after the
// options.
enum exit_status export_ctf(struct command *command);

// Writes a table of events, in command->table_format. Does the rest of the command after the
// options.
enum exit_status export_event_table(struct command *command, enum event_table_kind kind);

// The same for the profile of each lane.
enum exit_status export_functions(struct command *command);

#endif
