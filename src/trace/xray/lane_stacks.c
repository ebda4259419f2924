// The open calls of the threads of an XRay log at a point.
#include "trace/xray/pass.h"

// --- The point -----------------------------------------------------------------------------------

bool xray_find_buffer(const struct xray_log *log, uint64_t byte, uint64_t *number)
{
    for (uint64_t i = 0; i < log->buffers.count; i++) {
        const struct xray_buffer *buffer = &log->buffers.items[i];
        if (byte >= buffer->offset && byte - buffer->offset < buffer->size_bytes) {
            *number = i;
            return true;
        }
    }
    return false;
}

void xray_find_byte(const struct xray_log *log, uint64_t byte, struct lane_point *point)
{
    struct xray_cursor cursor;
    struct xray_record record;
    uint64_t number;
    point->events = 0;
    if (!xray_find_buffer(log, byte, &number))
        return;
    xray_cursor_thread(&cursor, log, (uint32_t)point->lane);
    while (xray_next(&cursor, &record)) {
        if (cursor.buffer_index > number || (cursor.buffer_index == number && record.offset > byte))
            break;
        point->events += xray_is_function(record.kind);
    }
}

void xray_find_entry(const struct xray_log *log, uint64_t pc, uint64_t *visit,
                     struct lane_point *point)
{
    size_t wanted = point->lane;
    for (uint32_t thread = 0; thread < log->threads.count && *visit; thread++) {
        if (wanted == LANE_POINT_ANY || wanted == thread) {
            uint32_t function = function_id(pc);
            struct xray_cursor cursor;
            struct xray_record record;
            uint64_t events = 0;
            xray_cursor_thread(&cursor, log, thread);
            while (*visit && xray_next(&cursor, &record)) {
                events += xray_is_function(record.kind);
                *visit -= xray_is_enter(record.kind) && record.function == function;
            }
            point->lane = thread;
            point->events = events;
        }
    }
}

// --- The walk ------------------------------------------------------------------------------------

struct walk {
    const struct lane_point *point;
    struct lane_stack *stack;
    bool has_passed; // a record after the point was found
};

static bool keep(struct walk *walk, const struct xray_lane *lane, size_t open)
{
    struct lane_stack *stack = walk->stack;
    walk->has_passed = true;
    if (!VEC_ROOM(&stack->frames, open))
        return false;
    for (size_t i = 0; i < open; i++) {
        const struct xray_call *call = xray_lane_call(lane, i);
        stack->frames.items[i] =
            (struct lane_frame){call->tsc, call->path, xray_lane_offset(lane, call),
                                function_pc(xray_function(call->who))};
    }
    stack->frames.count = open;
    return true;
}

// Handles the current function record, before which `open` calls were open.
static ALWAYS_INLINE bool advance(struct walk *walk, const struct xray_lane *lane, size_t open)
{
    if (walk->has_passed)
        return true;
    if (lane->time > walk->point->last_time || lane->events > walk->point->events)
        return keep(walk, lane, open);
    walk->stack->time = lane->time;
    return true;
}

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    (void)call, (void)record;
    return advance(self, lane, xray_match_depth(&lane->match) - 1);
}

// Before the first of several calls that one exit ends, all of them are open.
static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    (void)call, (void)record, (void)is_unwound;
    return advance(self, lane, xray_match_depth(&lane->match));
}

static bool on_unmatched(void *self, struct xray_lane *lane, const struct xray_record *record)
{
    (void)record;
    return advance(self, lane, xray_match_depth(&lane->match));
}

bool xray_stacks_at_walk(void *self, unsigned worker, struct xray_lane *lane, size_t number)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, on_unmatched, NULL};
    const struct xray_stacks_at *at = self;
    struct walk walk = {at->point, &at->stacks[number], false};
    (void)worker;
    if (at->point->lane != LANE_POINT_ANY && at->point->lane != number)
        return xray_lane_read(lane);
    return xray_lane_walk(lane, &walk, &visitor) &&
           (walk.has_passed || keep(&walk, lane, xray_match_depth(&lane->match)));
}
