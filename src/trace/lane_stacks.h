// The open calls of each lane at a point, for kinds of traces from which these can be read faster
// than an index can be built.
#ifndef TRAWL_TRACE_LANE_STACKS_H
#define TRAWL_TRACE_LANE_STACKS_H

#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flow/pass.h"

#define LANE_POINT_ANY SIZE_MAX

// The point after all events of a lane up to this time, at most this many.
struct lane_point {
    size_t lane; // LANE_POINT_ANY: every lane
    uint64_t last_time;
    uint64_t events;
};

// An open call, described by its entry.
struct lane_frame {
    uint64_t time, event, position, pc;
};

struct lane_stack {
    VEC(, struct lane_frame) frames; // the outermost first
    uint64_t time;                   // of the last event up to the point
};

struct trace;

// The functions that such a kind provides. The traces are open.
struct trace_lane_stacks {
    size_t (*lane_count)(const struct trace *trace);
    void (*lane_name)(const struct trace *trace, size_t lane, char name[LIMIT_LANE_NAME_BYTES + 1]);

    // lane_of_byte: the lane that a byte belongs to. STATUS_NOT_FOUND: to none. find_byte: the
    // point after the last event of that lane that begins at or before the byte.
    enum status (*lane_of_byte)(const struct trace *trace, uint64_t byte, size_t *lane,
                                struct error *err);
    void (*find_byte)(const struct trace *trace, uint64_t byte, struct lane_point *point);
    // The point after the *visit-th entry of a function in point->lane; for LANE_POINT_ANY, entries
    // are counted through all lanes in order. If it is found, *visit becomes 0, otherwise it is
    // reduced by the number of entries.
    void (*find_entry)(const struct trace *trace, uint64_t pc, uint64_t *visit,
                       struct lane_point *point);

    // Fills the stacks of the lanes that the point refers to, one for each lane of the trace, and
    // the result as any pass does.
    enum status (*read)(struct trace *trace, const struct pass_options *options,
                        const struct lane_point *point, struct lane_stack *stacks,
                        struct pass_result *result, struct error *err);
    // Fills only the result, from trace->index without reading its rows.
    enum status (*recall)(struct trace *trace, const struct pass_options *options,
                          struct pass_result *result, struct error *err);
};

#endif
