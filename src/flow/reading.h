// The two readings of one trace (docs/differences-from-ttu.md lists where they part).
#ifndef TRAWL_FLOW_READING_H
#define TRAWL_FLOW_READING_H

#include "base/base.h"

enum reading {
    READING_RIGHT, // `trawl`: cores apart, damage skipped and reported, exact times
    READING_TTU,   // the tarmac-* names: what Arm's Tarmac Trace Utilities do, quirks included
};

// How lines are to be read.
struct reading_options {
    enum reading reading;
    bool implicit_thumb; // instruction lines may lack the instruction-set state
};

#endif
