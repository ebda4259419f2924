// The calls active at a point of a trace, which is read for this (trace/lane_stacks.h), for `trawl
// stack`.
#ifndef TRAWL_CMD_LANE_STACKS_H
#define TRAWL_CMD_LANE_STACKS_H

#include "cmd/command.h"

// Shows the stack of the lane of --lane or of the point, otherwise of each lane.
bool lane_stacks_report(struct command *command);

#endif
