// How lines are read: the two readings of one trace (docs/differences-from-ttu.md lists the
// differences), and what a trace says once for all of its lines.
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

// What is stripped from the beginning of each line of a trace, because a simulator or a logger has
// put it there: "# ", "UVM_INFO @ 12ns: ". It is the longest beginning of the line that a regular
// expression matches; a line of which it matches nothing is read as it is. The expression is a
// whole deterministic automaton (search/line_prefix.h), which all threads can read at the same
// time. Positions and columns remain those of the line in the file.
struct line_prefix_state {
    bool is_end;        // what was read up to here can be the prefix
    bool is_last;       // and nothing longer
    uint16_t next[256]; // the state after each byte; 0: nothing longer matches
};

struct line_prefix {
    uint32_t hash; // of the expression, which tells indexes apart; not 0
    uint32_t state_count;
    struct line_prefix_state *states; // state 0 is unused, a line begins in state 1
};

// The end of the prefix of the line [start, end). *seen_bytes: how many bytes decided this, one
// more than the line has if its end was one of them.
static inline const char *line_prefix_end(const struct line_prefix *prefix, const char *start,
                                          const char *end, size_t *seen_bytes)
{
    const struct line_prefix_state *states = prefix->states;
    const char *at = start, *found = start;
    for (uint16_t state = 1; state; at++) {
        if (states[state].is_end)
            found = at;
        if (states[state].is_last)
            break;
        state = at < end ? states[state].next[(uint8_t)*at] : 0;
    }
    *seen_bytes = (size_t)(at - start);
    return found;
}

// How lines are to be read.
struct reading_options {
    enum reading reading;
    enum implicit_state implicit_state;
    struct time_scale scale;          // READING_TTU only tells that lines are not of this unit
    const struct line_prefix *prefix; // that they begin with; NULL: none
    uint32_t dialect;                 // what else the kind found in the first lines
    uint8_t first_world; // enum physical_world of the first physical address of the trace
};

#endif
