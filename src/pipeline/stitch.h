// The stitch: chunks in order, each from what the one before left.
#ifndef TRAWL_PIPELINE_STITCH_H
#define TRAWL_PIPELINE_STITCH_H

#include "pipeline/running_pass.h"

// Stitches every chunk whose turn it is. Called and left with the lock held.
void stitch_ready(struct pipeline *pipeline);

#endif
