// Points of one lane, chosen in several ways at once and returned in the order of events, each
// once.
#ifndef TRAWL_QUERY_POINT_CHOICE_H
#define TRAWL_QUERY_POINT_CHOICE_H

#include "base/vec.h"
#include "flow/clip.h"
#include "trace/index_view.h"

enum point_way {
    POINT_AT,    // after the event `value`, or TRAWL_START
    POINT_EVERY, // after each `value`-th event of the lane, from the first in the range on
    POINT_VISIT, // before each instruction at the address `value`
};

struct point_source {
    enum point_way way;
    uint64_t value;
    uint64_t next;    // the event after its next point, which may be TRAWL_START
    uint64_t in_lane; // of POINT_EVERY: the number in the lane of the event before it
};

// If all but view, lane and range is zero, no points are chosen.
struct point_choice {
    const struct index_view *view;
    uint64_t lane;
    struct call_range
        range; // for the last two ways; must exist; events by their numbers in the lane
    VEC(, struct point_source) sources;
    uint64_t first, end; // the events in the range, by their numbers in the lane: [first, end)
    uint64_t last;       // the event that is the last of them
};

// Adds points. False: no memory.
bool point_choice_add(struct point_choice *choice, enum point_way way, uint64_t value);
void point_choice_free(struct point_choice *choice);

// Starts, or restarts, before the first point.
enum status point_choice_begin(struct point_choice *choice, struct error *err);

// The event before the next point. STATUS_NOT_FOUND: there are no more points.
enum status point_choice_next(struct point_choice *choice, uint64_t *event, struct error *err);

#endif
