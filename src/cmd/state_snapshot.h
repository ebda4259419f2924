// The state of a trace of snapshots (TRACE_SNAPSHOTS): what was collected at the point.
#ifndef TRAWL_CMD_STATE_SNAPSHOT_H
#define TRAWL_CMD_STATE_SNAPSHOT_H

#include "cmd/state_point.h"

// Shows it, with state->memory, or all collected memory if that is empty; as text or JSON.
enum status state_put_snapshot(struct state *state, bool is_json, struct error *err);

#endif
