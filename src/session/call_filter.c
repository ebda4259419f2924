#include "session/call_filter.h"

#include <stdlib.h>

static bool is_shown(const struct call_filter *filter)
{
    return filter->levels.items[filter->levels.count - 1].is_shown;
}

static bool begin(void *self, uint64_t start)
{
    struct call_filter *filter = self;
    return filter->sink.begin(filter->sink.self, start);
}

static bool lane(void *self, const struct call_lane *lane)
{
    struct call_filter *filter = self;
    filter->levels.count = 0;
    filter->is_last_shown = true;
    return filter->sink.lane(filter->sink.self, lane);
}

static struct call_filter_level level_of(struct call_filter *filter, uint64_t pc)
{
    const struct filter *wanted = &filter->session->filter;
    size_t count = filter->levels.count;
    const struct call_filter_level *around = count ? &filter->levels.items[count - 1] : NULL;
    bool is_counted = around && (around->is_inside || !wanted->function);
    struct call_filter_level level = {
        .depth = is_counted ? around->depth + 1 : !wanted->function,
        .is_inside = (around && around->is_inside) ||
                     (wanted->function && session_takes_function(filter->session, pc)),
    };
    level.is_shown = (level.is_inside || !wanted->function) && level.depth <= wanted->depth_max;
    return level;
}

static bool enter(void *self, uint64_t time, uint64_t pc)
{
    struct call_filter *filter = self;
    const struct call_filter_level level = level_of(filter, pc);
    if (!VEC_ROOM(&filter->levels, 1)) {
        filter->lacks_memory = true;
        return false;
    }
    filter->levels.items[filter->levels.count++] = level;
    filter->is_last_shown = level.is_shown;
    filter->has_shown |= level.is_shown;
    return !level.is_shown || filter->sink.enter(filter->sink.self, time, pc);
}

static bool leave(void *self, uint64_t time)
{
    struct call_filter *filter = self;
    filter->is_last_shown = is_shown(filter);
    filter->levels.count--;
    return !filter->is_last_shown || filter->sink.leave(filter->sink.self, time);
}

static bool instant(void *self, const struct call_instant *instant)
{
    struct call_filter *filter = self;
    bool is_in_call = instant->is_in_call && filter->levels.count;
    filter->is_last_shown = is_in_call ? is_shown(filter) : !filter->session->filter.function;
    filter->has_shown |= filter->is_last_shown;
    return !filter->is_last_shown || filter->sink.instant(filter->sink.self, instant);
}

static void mark(void *self, const char *what)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        filter->sink.mark(filter->sink.self, what);
}

static void argument(void *self, uint64_t value)
{
    const struct call_filter *filter = self;
    if (filter->is_last_shown)
        filter->sink.argument(filter->sink.self, value);
}

struct call_sink call_filter_sink(struct call_filter *filter)
{
    return (struct call_sink){filter, begin, lane, enter, leave, instant, mark, argument};
}

void call_filter_free(struct call_filter *filter)
{
    free(filter->levels.items);
}
