// What --function, --depth and --hide do to a call, by what they did to the one around it.
#ifndef TRAWL_SESSION_CALL_LEVEL_H
#define TRAWL_SESSION_CALL_LEVEL_H

#include "session/session.h"

struct call_level {
    uint64_t below; // depth of the calls in it: below the outermost one shown, or the root
    bool is_inside; // of a call that --function names, or of any without it
    bool is_hidden; // it, or what it was called in
    bool is_shown;  // it is neither, nor too deep
    bool is_outer;  // hidden, and what is around is not
};

// What is around the outermost calls, which have this depth where --function names none.
struct call_level call_level_outside(const struct session *session, uint64_t depth);

// Of a call in `around`, entered at `pc`; `how` is enum call_how.
struct call_level call_level_of(struct session *session, const struct call_level *around,
                                uint64_t pc, unsigned how);

// Its depth, where it is shown.
static inline uint64_t call_level_depth(const struct call_level *level)
{
    return level->below - 1;
}

// Counts a call for what is left out, if it is.
void call_level_count(struct session *session, const struct call_level *level, unsigned how);

#endif
