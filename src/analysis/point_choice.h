// Points of one lane, chosen in several ways at once and returned in the order of events, each
// once.
#ifndef TRAWL_ANALYSIS_POINT_CHOICE_H
#define TRAWL_ANALYSIS_POINT_CHOICE_H

#include "analysis/index_view.h"
#include "base/vec.h"
#include "flow/clip.h"

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

// All zero except for view, lane and range chooses nothing.
struct point_choice {
    const struct index_view *view;
    uint64_t lane;
    struct call_range
        range; // of the last two ways, which must exist; events as their numbers there
    VEC(, struct point_source) sources;
    uint64_t first, end; // the events in the range, by their numbers in the lane: [first, end)
    uint64_t last;       // the event that is the last of them
};

// Adds points. False: no memory.
bool point_choice_add(struct point_choice *choice, enum point_way way, uint64_t value);
void point_choice_free(struct point_choice *choice);

// Goes to before the first point: first of all, and to go over the points again.
enum status point_choice_begin(struct point_choice *choice, struct error *err);

// The event that the next point is after. STATUS_NOT_FOUND: there is none.
enum status point_choice_next(struct point_choice *choice, uint64_t *event, struct error *err);

#endif
