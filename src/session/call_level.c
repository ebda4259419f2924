#include "session/call_level.h"

#include "session/hidden.h"

struct call_level call_level_outside(const struct session *session, uint64_t depth)
{
    bool is_inside = !session->filter.function;
    return (struct call_level){.below = is_inside ? depth : 0, .is_inside = is_inside};
}

struct call_level call_level_of(struct session *session, const struct call_level *around,
                                uint64_t pc, unsigned how)
{
    bool is_hidden = session_hides(session, pc);
    bool is_around_hidden = around->is_hidden && !(how & CALL_EXCEPTION);
    struct call_level level = {
        .is_inside =
            around->is_inside || (!(how & CALL_INLINED) && session_takes_function(session, pc)),
        .is_hidden = is_hidden || is_around_hidden,
        .is_outer = is_hidden && !around->is_hidden,
    };
    bool is_level = level.is_inside && !level.is_hidden;
    level.is_shown = is_level && around->below <= session->filter.depth_max;
    level.below = around->below + is_level;
    return level;
}

void call_level_count(struct session *session, const struct call_level *level, unsigned how)
{
    session->hidden.calls += level->is_outer && !(how & CALL_RESUMED);
}
