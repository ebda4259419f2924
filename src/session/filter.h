// What of a trace a report is about: --time, --events, --lane, --function and --depth, for every
// kind of trace and every report. Filters that let nothing through are an error, told with what is
// there.
#ifndef TRAWL_SESSION_FILTER_H
#define TRAWL_SESSION_FILTER_H

#include "base/error.h"
#include "base/limits.h"
#include "flow/clip.h"

struct filter {
    struct call_range range; // one predicate: call_range_has
    const char *lane;        // its name; NULL: all
    const char *function;    // a name, or 0xADDRESS; NULL: all
    const char *task;        // a name, pattern or 0xADDRESS (task_is_called); NULL: all
    uint64_t depth_max;      // levels of calls below the root
};

#define FILTER_NONE ((struct filter){.range = CALL_RANGE_ALL, .depth_max = UINT64_MAX})

// Whether it lets a lane of that name through.
bool filter_takes_lane(const struct filter *filter, const char *lane);

// Whether it leaves anything out but depth, which always leaves the root.
bool filter_is_all(const struct filter *filter);

// The names that lanes of a trace have: as many as may help to find the right one.
struct lane_names {
    const char *kind; // what they are called: "core"
    size_t count;
    bool has_more;
    char names[64][LIMIT_LANE_NAME_BYTES + 1];
};

// Adds a name, unless it is there.
void lane_names_add(struct lane_names *names, const char *name);

// What is where filters look: its first and last time, and the number of its last event.
struct filter_extent {
    uint64_t first_time, last_time, last_event;
    bool has_times;
};

// No lane is called as the filter has it: says how they are called. Each returns STATUS_NOT_FOUND;
// `path` is of the trace.
enum status filter_no_lane(const struct filter *filter, const char *path,
                           const struct lane_names *names, struct error *err);

// The range holds nothing: says what there is.
enum status filter_no_range(const struct filter *filter, const char *path,
                            const struct filter_extent *extent, struct error *err);

#endif
