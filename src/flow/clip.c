#include "flow/clip.h"

bool call_range_is_all(const struct call_range *range)
{
    return range->first_time == 0 && range->last_time == UINT64_MAX && range->first_event == 0 &&
           range->last_event == UINT64_MAX;
}

void clip_init(struct clip *clip, const struct call_range *range,
               const struct call_consumer *consumer)
{
    *clip = (struct clip){.range = *range, .last_event_time = UINT64_MAX, .consumer = *consumer};
}

bool clip_pass(struct clip *clip, const struct node_ref *event)
{
    const struct call_range *range = &clip->range;
    if (event->event > range->last_event || event->time > range->last_time)
        return false;
    if (event->event == range->first_event)
        clip->first_event_time = event->time;
    if (event->event == range->last_event)
        clip->last_event_time = event->time;
    if (!clip->has_first && call_range_has(range, event->time, event->event)) {
        clip->has_first = true;
        clip->first = *event;
    }
    clip->has_last = true;
    clip->last = *event;
    return true;
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
    starts_before |= entry->time < first;
    ends_after |= exit->time > last;
    *is_clipped |= starts_before || ends_after;
    // Where the range begins for calls that began before it lies between two events, and belongs to
    // the first of them.
    if (starts_before && (clip->has_first || clip->has_last)) {
        const struct node_ref *begin = clip->has_first ? &clip->first : &clip->last;
        entry->line = begin->line;
        entry->position = begin->position;
    }
    if (ends_after && clip->has_last) {
        exit->line = clip->last.line;
        exit->position = clip->last.position;
    }
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
    // The duration of the last event is not in the range.
    if (clipped.exit.time != call->exit.time || call->exit.event >= clip->range.last_event)
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
    return call_range_is_all(&clip->range)
               ? clip->consumer
               : (struct call_consumer){.self = clip, .fold = fold, .merge = merge};
}
