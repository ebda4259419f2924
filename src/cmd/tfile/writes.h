// `trawl writes` of a GDB trace file: in which frames a register, a variable or memory was seen to
// have changed.
#ifndef TRAWL_CMD_TFILE_WRITES_H
#define TRAWL_CMD_TFILE_WRITES_H

#include "cmd/kind_reports.h"

// Returns the status to end with.
enum exit_status writes_tfile(struct query *query, const char *what,
                              const struct writes_wanted *wanted);

#endif
