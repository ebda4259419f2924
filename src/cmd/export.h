// The parts of `trawl export`. Private to them.
#ifndef TRAWL_CMD_EXPORT_H
#define TRAWL_CMD_EXPORT_H

#include "cmd/query.h"
#include "export/event_table.h"

// What the frames of a GDB trace file are to be.
struct export_tfile_options {
    VEC(, const char *) at, visits, memory; // as typed
    uint64_t every;                         // 0: unknown
};

// Writes the trace file. Takes the whole command over.
enum exit_status export_tfile(struct query *query, const struct export_tfile_options *options);

// Calls into a directory, in the Common Trace Format, after the options.
enum exit_status export_ctf(struct trace_command *command);

// Writes a table, in command->table_format, of what the trace shows event by event. The options are
// taken already; the rest is done here.
enum exit_status export_event_table(struct trace_command *command, enum event_table_kind kind);

// The same of the profile of each lane.
enum exit_status export_functions(struct trace_command *command);

#endif
