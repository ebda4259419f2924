// The part of a trace that a report covers: --time, --events, --lane, --function and --depth, for
// every kind of trace and every report. Filters that select nothing are an error, which says what
// there is.
#ifndef TRAWL_SESSION_FILTER_H
#define TRAWL_SESSION_FILTER_H

#include "base/error.h"
#include "base/limits.h"
#include "flow/clip.h"
#include "names/names.h"

struct filter {
    struct call_range range; // a single predicate: call_range_has
    const char *lane;        // its name; NULL: all
    const char *function;    // a name or an address; NULL: all
    const char *task;        // a name, a pattern, or an address in its stack; NULL: all
    struct typed_address function_address, task_address; // session_knows_address
    uint64_t depth_max;                                  // levels of calls below the root
};

#define FILTER_NONE ((struct filter){.range = CALL_RANGE_ALL, .depth_max = UINT64_MAX})

// Whether it selects lanes with that name.
bool filter_takes_lane(const struct filter *filter, const char *lane);

// Whether it selects everything, ignoring depth, which never excludes the root.
bool filter_is_all(const struct filter *filter);

// The names of the lanes of a trace, as many as may help to find the right one.
struct lane_names {
    const char *kind; // the term for a lane: "core"
    size_t count;
    bool has_more;
    char names[64][LIMIT_LANE_NAME_BYTES + 1];
};

// Adds a name, unless it is already in the list.
void lane_names_add(struct lane_names *names, const char *name);

// The extent of the lanes that the filter selects: first and last time, and number of the last
// event.
struct filter_extent {
    uint64_t first_time, last_time, last_event;
    bool has_times;
};

// The error that no lane has the filter's name, with the existing names. Both functions return
// STATUS_NOT_FOUND; `path` is that of the trace.
enum status filter_no_lane(const struct filter *filter, const char *path,
                           const struct lane_names *names, struct error *err);

// The error that the range selects nothing, with the existing range.
enum status filter_no_range(const struct filter *filter, const char *path,
                            const struct filter_extent *extent, struct error *err);

#endif
