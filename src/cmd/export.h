// The parts of `trawl export`. Private to them.
#ifndef TRAWL_CMD_EXPORT_H
#define TRAWL_CMD_EXPORT_H

#include "analysis/trace_events.h"
#include "cmd/query.h"

// Which calls --function and --depth let through, while a walk enters and leaves them.
struct export_level {
    uint64_t depth; // below the outermost call that is shown, or below the root
    bool is_inside; // of a call that --function names
    bool is_shown;
};

struct exporter {
    bool has_shown; // something of what filters let through
    struct trace_command *command;
    struct trace_events events;
    struct out *out;
    VEC(, struct export_level) levels; // of the calls that the walk is in
};

// A call is entered: whether it is shown. The walk leaves it by taking the last level away. False:
// no memory.
bool export_enter(struct exporter *exporter, uint64_t pc);

// What the frames of a GDB trace file are to be.
struct export_tfile_options {
    VEC(, const char *) at, visits, memory; // as typed
    uint64_t every;                         // 0: not told
};

// Writes the trace file. Takes the whole command over.
enum exit_status export_tfile(struct query *query, const struct export_tfile_options *options);

#endif
