// The calls that are active at a point of a trace that is read for this (trace/lane_stacks.h), for
// `trawl stack`.
#ifndef TRAWL_CMD_LANE_STACKS_H
#define TRAWL_CMD_LANE_STACKS_H

#include "cmd/query.h"
#include "cmd/unwind_method.h"

// The kind of the query's trace is known. Of the lane that --lane names or the point is in, else of
// each. Returns what to end with.
enum exit_status lane_stacks_command(struct query *query, enum unwind_method how);

#endif
