// `trawl writes` of a GDB trace file: in which frames a register, a variable or memory was seen to
// have changed.
#ifndef TRAWL_CMD_WRITES_TFILE_H
#define TRAWL_CMD_WRITES_TFILE_H

#include "cmd/query.h"

// Which changes are shown.
struct writes_tfile_wanted {
    bool is_back;   // those at or before the point, the last first; else those behind it
    bool is_all;    // of the whole file, whatever the point
    uint64_t count; // at most
};

// Returns the status to end with.
enum exit_status writes_tfile(struct query *query, const char *what,
                              const struct writes_tfile_wanted *wanted);

#endif
