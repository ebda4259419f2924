#include "session/call_filter.h"

#include <stdlib.h>

// The innermost call in which the lane is.
static const struct call_level *innermost(const struct call_filter *filter)
{
    size_t count = filter->levels.count;
    return count ? &filter->levels.items[count - 1] : &filter->outside;
}

static bool begin(void *self, uint64_t start, uint64_t hz)
{
    struct call_filter *filter = self;
    return filter->sink.begin(filter->sink.self, start, hz);
}

static bool lane(void *self, const struct call_lane *lane)
{
    struct call_filter *filter = self;
    filter->levels.count = 0;
    filter->is_last_shown = true;
    return filter->sink.lane(filter->sink.self, lane);
}

static bool enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct call_filter *filter = self;
    const struct call_level level = call_level_of(filter->session, innermost(filter), pc, how);
    if (!VEC_ROOM(&filter->levels, 1)) {
        filter->lacks_memory = true;
        return false;
    }
    filter->levels.items[filter->levels.count++] = level;
    call_level_count(filter->session, &level, how);
    filter->is_last_shown = level.is_shown;
    filter->has_shown |= level.is_shown;
    return !level.is_shown || filter->sink.enter(filter->sink.self, time, pc, how);
}

static bool leave(void *self, uint64_t time)
{
    struct call_filter *filter = self;
    filter->is_last_shown = innermost(filter)->is_shown;
    filter->levels.count--;
    return !filter->is_last_shown || filter->sink.leave(filter->sink.self, time);
}

static bool instant(void *self, const struct call_instant *instant)
{
    struct call_filter *filter = self;
    bool is_in_call = instant->is_in_call && filter->levels.count;
    filter->is_last_shown =
        is_in_call ? innermost(filter)->is_shown : !filter->session->filter.function;
    filter->has_shown |= filter->is_last_shown;
    return !filter->is_last_shown || call_sink_instant(&filter->sink, instant);
}

static void mark(void *self, const char *what)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_mark(&filter->sink, what);
}

static void argument(void *self, uint64_t value)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_argument(&filter->sink, value);
}

static void place(void *self, uint64_t line, uint64_t pc)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        call_sink_place(&filter->sink, line, pc);
}

struct call_sink call_filter_sink(struct call_filter *filter)
{
    return (struct call_sink){filter, begin, lane, enter, leave, instant, mark, argument, place};
}

void call_filter_free(struct call_filter *filter)
{
    free(filter->levels.items);
}
