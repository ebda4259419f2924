// The stitch: connects chunks in order, each with the state after the previous one.
#ifndef TRAWL_TRACE_LINES_STITCH_H
#define TRAWL_TRACE_LINES_STITCH_H

#include "trace/lines/running_pass.h"

// Stitches all chunks whose turn it is. Called and left with the lock held.
void stitch_ready(struct pipeline *pipeline);

#endif
