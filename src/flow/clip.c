#include "flow/clip.h"

bool call_range_is_all(const struct call_range *range)
{
    return range->first_time == 0 && range->last_time == UINT64_MAX && range->first_event == 0 &&
           range->last_event == UINT64_MAX;
}

void clip_init(struct clip *clip, const struct call_range *range,
               const struct call_consumer *consumer)
{
    *clip = (struct clip){*range, 0, UINT64_MAX, *consumer};
}

bool clip_nodes(const struct clip *clip, struct node_ref *entry, struct node_ref *exit,
                bool *is_clipped)
{
    const struct call_range *range = &clip->range;
    if (exit->event < range->first_event || entry->event > range->last_event ||
        exit->time < range->first_time || entry->time > range->last_time)
        return false;
    uint64_t first = range->first_time, last = range->last_time;
    bool starts_before =
        entry->event<range->first_event, ends_after = exit->event> range->last_event;
    if (starts_before)
        first = u64_max(first, clip->first_event_time);
    if (ends_after)
        last = u64_min(last, clip->last_event_time);
    if (starts_before || ends_after || entry->time < first || exit->time > last)
        *is_clipped = true;
    entry->time = u64_max(entry->time, first);
    exit->time = u64_max(entry->time, u64_min(exit->time, last));
    return true;
}

static bool fold(void *self, struct call_content *into, const struct call *call,
                 const struct call_content *inner)
{
    struct clip *clip = self;
    struct call clipped = *call;
    if (!clip_nodes(clip, &clipped.entry, &clipped.exit, &clipped.is_clipped))
        return clip->consumer.merge(clip->consumer.self, into, inner);
    if (clipped.exit.time != call->exit.time || call->exit.event > clip->range.last_event)
        clipped.exit_ticks = 0;
    clipped.exit_ticks = u64_min(clipped.exit_ticks, clip->range.last_time - clipped.exit.time);
    return clip->consumer.fold(clip->consumer.self, into, &clipped, inner);
}

static bool merge(void *self, struct call_content *into, const struct call_content *from)
{
    struct clip *clip = self;
    return clip->consumer.merge(clip->consumer.self, into, from);
}

struct call_consumer clip_consumer(struct clip *clip)
{
    return call_range_is_all(&clip->range) ? clip->consumer
                                           : (struct call_consumer){clip, fold, merge};
}
