// Cuts calls to the requested range of times and events before the consumer sees them: a call
// outside is dropped, one that crosses an end is shortened and marked.
#ifndef TRAWL_FLOW_CLIP_H
#define TRAWL_FLOW_CLIP_H

#include "flow/call_consumer.h"

// Both ends are included. Events are numbers of nodes in their lane.
struct call_range {
    uint64_t first_time, last_time;
    uint64_t first_event, last_event;
};

#define CALL_RANGE_ALL ((struct call_range){0, UINT64_MAX, 0, UINT64_MAX})

bool call_range_is_all(const struct call_range *range);

// Whether an event, with a time and a number in its lane, is in the range.
static inline bool call_range_has(const struct call_range *range, uint64_t time, uint64_t event)
{
    return time >= range->first_time && time <= range->last_time && event >= range->first_event &&
           event <= range->last_event;
}

// The first and last event in the range of one lane. Known as soon as they are passed, which is
// before any call across them ends.
struct clip {
    struct call_range range;
    uint64_t first_event_time; // 0 until known
    uint64_t last_event_time;  // UINT64_MAX until known
    // The first event in the range, if there is one, and the last one not after the range.
    bool has_first, has_last;
    struct node_ref first, last;
    struct call_consumer consumer;
};

void clip_init(struct clip *clip, const struct call_range *range,
               const struct call_consumer *consumer);

// A consumer between the matcher and the real consumer. `clip` must not move.
struct call_consumer clip_consumer(struct clip *clip);

// Records the next event of the lane. Of events known to be all inside or all outside of the range,
// only the first and last need be given. False: it is after the range, and so are all that follow.
bool clip_pass(struct clip *clip, const struct node_ref *event);

// Shortens [entry, exit] to the range: to its times, and to the lines of its first and last event
// if they are known. PCs stay, because they identify the function. False: outside of the range.
// *is_clipped is set if something was cut off.
bool clip_nodes(const struct clip *clip, struct node_ref *entry, struct node_ref *exit,
                bool *is_clipped);

#endif
