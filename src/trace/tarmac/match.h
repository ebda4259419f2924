// The match: transfers of control to calls, each chunk by itself.
#ifndef TRAWL_TRACE_TARMAC_MATCH_H
#define TRAWL_TRACE_TARMAC_MATCH_H

#include "trace/tarmac/running_pass.h"

// The calls that the reading asked for wants, and where an index wants them, the other's.
struct lane_calls {
    bool ways[CALLS_WAYS];
};

struct lane_calls match_wanted(const struct pass_options *options);

// Whether anybody wants the transfers of a chunk.
bool match_takes_transfers(const struct pipeline *pipeline, const struct chunk_data *data);

// Numbers the nodes of every chunk whose turn it is, which is one step a lane. Called and left with
// the lock held.
void match_number_ready(struct pipeline *pipeline);

// Matches a numbered chunk. Called and left with the lock held.
void match_slot(struct pipeline *pipeline, struct slot *slot);

#endif
