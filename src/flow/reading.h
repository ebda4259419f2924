// The two readings of one trace (docs/differences-from-ttu.md lists the differences).
#ifndef TRAWL_FLOW_READING_H
#define TRAWL_FLOW_READING_H

#include "base/base.h"

enum reading {
    READING_RIGHT, // `trawl`: separate cores, damage skipped and reported, exact times
    READING_TTU,   // the tarmac-* names: what Arm's Tarmac Trace Utilities do, quirks included
};

// The instruction-set state of instruction lines that do not show it.
enum implicit_state {
    STATE_IS_WRITTEN, // they must show it
    STATE_IS_THUMB,
    STATE_BY_SIZE, // A32 if the encoding has four bytes, otherwise Thumb
};

// How lines are to be read.
struct reading_options {
    enum reading reading;
    enum implicit_state implicit_state;
};

#endif
