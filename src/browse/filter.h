// Restricts what is shown of a lane in addition to folds: only calls, only writes to something,
// also reads of it, only what a search found, or all except some functions. Nothing is stored per
// event; the next one is looked up.
#ifndef TRAWL_BROWSE_FILTER_H
#define TRAWL_BROWSE_FILTER_H

#include "browse/lane_calls.h"

enum filter_kind {
    FILTER_NOTHING, // all is shown
    FILTER_CALLS,   // events that are followed by the first one of a call
    FILTER_WRITES,  // events that write `place`
    FILTER_TOUCHES, // that write it, or were found: they read it
    FILTER_FOUND,   // that were found
};

struct filter_place {
    bool is_register;
    uint64_t lane, start, size_bytes;
};

// Looks up events found elsewhere: the first at or after `event`, or the last at or before it.
// UINT64_MAX: there is none.
struct found_events {
    void *self;
    uint64_t (*find)(void *self, uint64_t event, bool is_forward);
};

// All zero: everything passes.
struct event_filter {
    enum filter_kind kind;
    struct filter_place place;
    struct found_events found;        // of FILTER_TOUCHES and FILTER_FOUND
    const struct index_view *indexed; // of all but FILTER_CALLS
    VEC(, uint64_t) hidden;           // functions that are not shown, by the PCs of their entries
    bool has_failed;                  // the index did
};

void event_filter_free(struct event_filter *filter);

// Whether it lets everything through.
bool event_filter_is_none(const struct event_filter *filter);

// Hides a function, or shows it again; *is_hidden tells which. False: no memory.
bool event_filter_toggle(struct event_filter *filter, uint64_t pc, bool *is_hidden);

// The first event of the lane at or after `event` that passes, or the last at or before it, by
// numbers in the lane. UINT64_MAX: there is none.
uint64_t event_filter_next(struct event_filter *filter, const struct lane_calls *calls,
                           uint64_t lane, uint64_t event);
uint64_t event_filter_previous(struct event_filter *filter, const struct lane_calls *calls,
                               uint64_t lane, uint64_t event);

#endif
