// What is stripped from the beginning of each line of a trace, because a simulator or a logger has
// put it there: "# ", "UVM_INFO @ 12ns: ".
//
// It is the longest beginning of the line that a regular expression matches; a line of which it
// matches nothing is read as it is. The expression is a whole deterministic automaton, which all
// threads can read at the same time. Positions and columns remain those of the line in the file.
#ifndef TRAWL_FLOW_LINE_PREFIX_H
#define TRAWL_FLOW_LINE_PREFIX_H

#include "base/base.h"

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

#endif
