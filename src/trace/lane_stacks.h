// The calls that are open in each lane at a point, for kinds of traces that can be read for that
// faster than an index could be built.
#ifndef TRAWL_TRACE_LANE_STACKS_H
#define TRAWL_TRACE_LANE_STACKS_H

#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flow/pass.h"

#define LANE_POINT_ANY SIZE_MAX

// After all events of a lane up to this time, and so many.
struct lane_point {
    size_t lane; // LANE_POINT_ANY: of each
    uint64_t last_time;
    uint64_t events;
};

// An open call, by its entry.
struct lane_frame {
    uint64_t time, event, position, pc;
};

struct lane_stack {
    VEC(, struct lane_frame) frames; // the outermost first
    uint64_t time;                   // of the last event up to the point
};

struct trace;

// What such a kind has for it. Traces are open.
struct trace_lane_stacks {
    size_t (*lane_count)(const struct trace *trace);
    void (*lane_name)(const struct trace *trace, size_t lane, char name[LIMIT_LANE_NAME_BYTES + 1]);

    // The lane that a byte is of; and the point after its last event that begins at or before the
    // byte. STATUS_NOT_FOUND: it is of none.
    enum status (*lane_of_byte)(const struct trace *trace, uint64_t byte, size_t *lane,
                                struct error *err);
    void (*find_byte)(const struct trace *trace, uint64_t byte, struct lane_point *point);
    // The point after the *visit-th entry of a function in point->lane, or counted through all
    // lanes in their order. *visit is then 0; else less what there is of them.
    void (*find_entry)(const struct trace *trace, uint64_t pc, uint64_t *visit,
                       struct lane_point *point);

    // Fills the stacks, one for each lane, that the point is of, and the result as any pass does.
    enum status (*read)(struct trace *trace, const struct pass_options *options,
                        const struct lane_point *point, struct lane_stack *stacks,
                        struct pass_result *result, struct error *err);
    // Fills the result alone, with what trace->index says without its rows.
    enum status (*recall)(struct trace *trace, const struct pass_options *options,
                          struct pass_result *result, struct error *err);
};

#endif
