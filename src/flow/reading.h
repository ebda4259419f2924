// The two readings of one trace (docs/differences-from-ttu.md lists the differences).
#ifndef TRAWL_FLOW_READING_H
#define TRAWL_FLOW_READING_H

#include "base/base.h"

enum reading {
    READING_TRUE, // `trawl`: separate cores, damage skipped and reported, exact times
    READING_TTU,  // the tarmac-* names: what Arm's Tarmac Trace Utilities do, quirks included
};

// The instruction-set state of instruction lines that do not show it.
enum implicit_state {
    STATE_IS_WRITTEN, // they must show it
    STATE_IS_THUMB,
    STATE_BY_SIZE, // A32 if the encoding has four bytes, otherwise Thumb
};

// What times count: powers of ten of seconds, or of something whose length is unknown.
enum time_base {
    TIME_OF_NOTHING, // not a unit
    TIME_BARE,       // numbers without a unit
    TIME_CYCLES,
    TIME_CS, // of a virtual platform; nobody says what it is
    TIME_SECONDS,
};

struct time_unit {
    enum time_base base;
    int exponent; // -9: billionths
};

// The unit that all times of a trace are brought to. All zero: they are taken as they are.
struct time_scale {
    struct time_unit unit;
    int bare_exponent; // of numbers that are not in units of the same base
};

struct line_prefix;

// How lines are to be read.
struct reading_options {
    enum reading reading;
    enum implicit_state implicit_state;
    struct time_scale scale;          // READING_TTU only tells that lines are not of this unit
    const struct line_prefix *prefix; // that they begin with (flow/line_prefix.h); NULL: none
};

#endif
