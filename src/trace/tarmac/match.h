// The match: transfers of control, in order, to calls.
#ifndef TRAWL_TRACE_TARMAC_MATCH_H
#define TRAWL_TRACE_TARMAC_MATCH_H

#include "trace/tarmac/running_pass.h"

// Matches every chunk whose turn it is. Called and left with the lock held.
void match_ready(struct pipeline *pipeline);

// Ends the calls of every lane, when all chunks are matched. False: no memory.
bool match_finish(struct pipeline *pipeline);

#endif
