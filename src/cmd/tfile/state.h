// `trawl state` of a GDB trace file: what one frame holds, and nothing of any other.
#ifndef TRAWL_CMD_TFILE_STATE_H
#define TRAWL_CMD_TFILE_STATE_H

#include "cmd/kind_reports.h"

// Shows the frame at query->at with the memory of `memory` besides, `count` of them as they were
// typed; returns the status to end with.
enum exit_status state_tfile(struct query *query, const char *const *memory, size_t count);

#endif
