// The join: what chunks were matched into, in order, to the calls of lanes.
#ifndef TRAWL_TRACE_TARMAC_JOIN_H
#define TRAWL_TRACE_TARMAC_JOIN_H

#include "trace/tarmac/running_pass.h"

// Joins every chunk whose turn it is. Called and left with the lock held.
void join_ready(struct pipeline *pipeline);

// Ends the calls of every lane, when all chunks are joined. False: no memory.
bool join_finish(struct pipeline *pipeline);

#endif
