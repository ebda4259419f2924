// The events of a trace for browsing: in the order of their lines, without folded ones. Each lane
// has its own folds; lanes can be left out completely.
#ifndef TRAWL_BROWSE_TIMELINE_H
#define TRAWL_BROWSE_TIMELINE_H

#include "browse/folds.h"
#include "browse/lane_calls.h"

#define TIMELINE_NONE UINT64_MAX // no such event

struct timeline_lane {
    struct index_calls index_calls; // without an index, calls belong to the test
    struct lane_calls calls;
    struct folds folds;
    bool is_left_out;
};

// Fields are for reading.
struct timeline {
    const struct index_view *indexed; // NULL: there is one lane
    uint64_t event_count;
    struct timeline_lane *lanes;
    size_t lane_count;
    struct event_filter filter;
    bool has_failed; // the index failed, and later answers are arbitrary
    struct error err;
};

// Freed by timeline_close either way. The index must outlive the timeline.
enum status timeline_open(struct timeline *timeline, const struct index_view *indexed,
                          struct error *err);

// One lane of these calls.
enum status timeline_open_calls(struct timeline *timeline, const struct lane_calls *calls,
                                struct error *err);
void timeline_close(struct timeline *timeline);

// Reads the calls of the index again, which was replaced by one of the same events, or of more;
// folds stay.
enum status timeline_renew(struct timeline *timeline, struct error *err);

// The failure of the index. False: none.
bool timeline_failed(const struct timeline *timeline, struct error *err);

// The lane of an event, and its number there.
uint64_t timeline_lane_of(struct timeline *timeline, uint64_t event, uint64_t *in_lane);

// The event that has a number in its lane.
uint64_t timeline_event_of(struct timeline *timeline, uint64_t lane, uint64_t in_lane);

// The number of calls of its lane around an event.
uint64_t timeline_level(struct timeline *timeline, uint64_t event);

bool timeline_is_visible(struct timeline *timeline, uint64_t event);

// The first visible event at or after `event`; the last at or before it. TIMELINE_NONE: there is
// none.
uint64_t timeline_next(struct timeline *timeline, uint64_t event);
uint64_t timeline_previous(struct timeline *timeline, uint64_t event);

// The last event at or before `event` of a lane that is not left out. TIMELINE_NONE: there is none.
uint64_t timeline_last_of_lanes(struct timeline *timeline, uint64_t event);

// How many lines of the trace are before an event, which may be event_count; how many lines the
// event has.
uint64_t timeline_lines_before(struct timeline *timeline, uint64_t event);
uint64_t timeline_lines_of(struct timeline *timeline, uint64_t event);

#endif
