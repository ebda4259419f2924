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

// The security state of a physical address, as it is written after it: 0 if nothing is, or _S.
enum physical_world {
    WORLD_SECURE,
    WORLD_NON_SECURE, // _NS
    WORLD_REALM,      // _RL
    WORLD_ROOT,       // _RT
    WORLD_OTHER,      // and up to WORLD_LAST: others, by a hash of their letters
    WORLD_LAST = 63,
};

struct line_prefix;

// How lines are to be read.
struct reading_options {
    enum reading reading;
    enum implicit_state implicit_state;
    struct time_scale scale;          // READING_TTU only tells that lines are not of this unit
    const struct line_prefix *prefix; // that they begin with (flow/line_prefix.h); NULL: none
    uint32_t dialect;                 // what else the kind found in the first lines
    uint8_t first_world; // enum physical_world of the first physical address of the trace
};

#endif
