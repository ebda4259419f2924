// The stitch: chunks in order, each from what the one before left.
#ifndef TRAWL_TRACE_TARMAC_STITCH_H
#define TRAWL_TRACE_TARMAC_STITCH_H

#include "trace/tarmac/running_pass.h"

// Stitches every chunk whose turn it is. Called and left with the lock held.
void stitch_ready(struct pipeline *pipeline);

#endif
