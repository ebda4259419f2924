// The two readings of one trace (docs/differences-from-ttu.md lists where they part).
#ifndef TRAWL_FLOW_READING_H
#define TRAWL_FLOW_READING_H

#include "base/base.h"

enum reading {
    READING_RIGHT, // `trawl`: cores apart, damage skipped and reported, exact times
    READING_TTU,   // the tarmac-* names: what Arm's Tarmac Trace Utilities do, quirks included
};

// What the instruction-set state is of instruction lines that lack it.
enum implicit_state {
    STATE_IS_WRITTEN, // they may not
    STATE_IS_THUMB,
    STATE_BY_SIZE, // A32 where the bit pattern has four bytes, else Thumb
};

// How lines are to be read.
struct reading_options {
    enum reading reading;
    enum implicit_state implicit_state;
};

#endif
