// The join: makes the calls of lanes from the matched chunks, in order.
#ifndef TRAWL_TRACE_LINES_JOIN_H
#define TRAWL_TRACE_LINES_JOIN_H

#include "trace/lines/running_pass.h"

// Joins all chunks whose turn it is. Called and left with the lock held.
void join_ready(struct pipeline *pipeline);

// Ends the calls of every lane, after all chunks were joined. False: no memory.
bool join_finish(struct pipeline *pipeline);

#endif
