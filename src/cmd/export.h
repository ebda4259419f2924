// The parts of `trawl export`. Private to them.
#ifndef TRAWL_CMD_EXPORT_H
#define TRAWL_CMD_EXPORT_H

#include "cmd/query.h"
#include "export/event_table.h"
#include "flow/call_sink.h"
#include "session/os_tasks.h"

// --- export.c ------------------------------------------------------------------------------------

// command_stream (cmd/trace_pass.h) with the calls that --min-duration and --top choose.
bool export_stream(struct command *command, const struct call_sink *sink);

// With --by task, the states of the tasks of an operating system that is known. False: reported.
bool export_states(struct command *command, const struct state_sink *sink);

// The options for frames of a GDB trace file.
struct export_tfile_options {
    VEC(, const char *) at, visits, memory; // as typed
    uint64_t every;                         // 0: not given
};

// The steps of the command (struct command_steps) that write the trace file (for which the command
// asks the index); calls into a directory, in the Common Trace Format; a table of events, in
// command->table_format; the profile of each lane, and what a program logged, likewise.
bool export_tfile(struct command *command, const struct export_tfile_options *options);
bool export_ctf(struct command *command);
bool export_event_table(struct command *command, enum event_table_kind kind);
bool export_functions(struct command *command);
bool export_instants(struct command *command);

// --- export_counters.c ---------------------------------------------------------------------------

// Counters of an export: values of registers and memory over time, from an index of the trace.

// Receives values of counters, in the order of writes: a new track, then its values. Functions
// return whether to continue.
struct counter_sink {
    void *self;
    bool (*track)(void *self, const char *name);
    bool (*value)(void *self, uint64_t time, uint64_t value, bool is_signed);
};

// Counters as typed.
VEC(counter_texts, const char *);

// Opens the index from which counters are read, before a pass over the trace. False: reported.
bool export_counters_open(struct command *command, const struct counter_texts *counters);

// Gives all their values in the range of --time and --lane-events; each register for every lane
// that
// --lane lets through. False: reported, or the sink stopped.
bool export_counters_give(struct command *command, const struct counter_texts *counters,
                          const struct counter_sink *sink);

#endif
