// The parts of `trawl export`. Private to them.
#ifndef TRAWL_CMD_EXPORT_H
#define TRAWL_CMD_EXPORT_H

#include "cmd/query.h"

// What the frames of a GDB trace file are to be.
struct export_tfile_options {
    VEC(, const char *) at, visits, memory; // as typed
    uint64_t every;                         // 0: not told
};

// Writes the trace file. Takes the whole command over.
enum exit_status export_tfile(struct query *query, const struct export_tfile_options *options);

#endif
