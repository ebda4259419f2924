// The calls active at a point of a trace, which is read for this (trace/lane_stacks.h), for `trawl
// stack`.
#ifndef TRAWL_CMD_LANE_STACKS_H
#define TRAWL_CMD_LANE_STACKS_H

#include "cmd/query.h"
#include "cmd/unwinding.h"

// The kind of the query's trace must be known. Shows the stack of the lane of --lane or of the
// point, otherwise of each lane. Returns the status to end with.
enum exit_status lane_stacks_command(struct command *query, enum unwind_method how);

#endif
