// The match: turns transfers of control into calls, separately for each chunk.
#ifndef TRAWL_TRACE_LINES_MATCH_H
#define TRAWL_TRACE_LINES_MATCH_H

#include "trace/lines/running_pass.h"

// The ways in which calls are matched: the requested reading and, if an index needs it, the other
// one.
struct lane_calls {
    bool ways[CALLS_WAYS];
};

struct lane_calls match_wanted(const struct pass_options *options);

// Whether the transfers of a chunk are needed.
bool match_takes_transfers(const struct pipeline *pipeline, const struct chunk_data *data);

// Numbers the nodes of all chunks whose turn it is, one step for each lane. Called and left with
// the lock held.
void match_number_ready(struct pipeline *pipeline);

// Matches a numbered chunk. Called and left with the lock held.
void match_slot(struct pipeline *pipeline, struct slot *slot);

#endif
