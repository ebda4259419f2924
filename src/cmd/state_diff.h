// The differences between two points, for `trawl state --diff`.
#ifndef TRAWL_CMD_STATE_DIFF_H
#define TRAWL_CMD_STATE_DIFF_H

#include "cmd/state_point.h"

// Shows the differences between the two points.
enum status state_diff_put(struct state *state, struct error *err);
enum status state_diff_put_json(struct state *state, struct error *err);

#endif
