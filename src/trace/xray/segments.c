// The function records of an XRay log as the events of an index, cut into segments of a fixed
// number of events (flow/segment.h): lane by lane, each in its own order.
//
// They are not ordered by time: such an order would be useful only as far as the clocks of
// processors agree, the records of a lane would be far apart, and the thread of an event would not
// follow from its number.
//
// A segment is read twice: in order, to match its calls, which shows where the next segment begins,
// how many calls are open there, and which exits do not just close the innermost call; and then, in
// parallel with others, for its rows. Calls themselves are not written: they follow from these
// exceptions (idx/nesting.h).
#include "trace/xray/pass.h"

#include "flow/segment_crew.h"
#include "trace/xray/lane.h"

#include <stdlib.h>

// --- Rows ----------------------------------------------------------------------------------------

// Where a segment begins.
struct segment_start {
    struct xray_cursor cursor;
    uint64_t time; // of the lane, up to here
};

static ALWAYS_INLINE void put_row(const struct segment_events *events, size_t row, uint64_t time,
                                  uint64_t position, uint32_t function, enum xray_kind kind)
{
    events->time[row] = time; // line and lane stay 0: the lane follows from where lanes begin
    events->position[row] = position;
    events->pc[row] = function_pc(function);
    events->flags[row] = xray_event_flags(kind);
}

// The implementation of put_plain, for either type of log.
static ALWAYS_INLINE size_t put_span(const struct segment_events *events, size_t row,
                                     struct xray_span *span, bool is_basic,
                                     struct segment_start *place)
{
    const uint8_t *data = place->cursor.log->data;
    struct xray_step step;
    uint64_t time = place->time;
    for (; span->at < span->end && xray_step_read(span->at, span->tsc, is_basic, &step); row++) {
        time = u64_max(time, step.tsc);
        put_row(events, row, time, (uint64_t)(span->at - data), step.function,
                (enum xray_kind)step.kind);
        xray_span_take(span, is_basic, &step);
    }
    place->time = time;
    return row;
}

// Fills rows from `row` on with plain records. Returns the number of rows filled so far.
static size_t put_plain(const struct segment_events *events, size_t row, size_t count,
                        struct segment_start *place)
{
    struct xray_span span = xray_span(&place->cursor, count - row);
    row = place->cursor.is_basic ? put_span(events, row, &span, true, place)
                                 : put_span(events, row, &span, false, place);
    xray_span_taken(&place->cursor, &span);
    return row;
}

// --- Segments ------------------------------------------------------------------------------------

struct crew {
    struct xray_pass *pass;
    struct xray_lane lane;
    uint64_t next_buffer;         // the first buffer whose first event is not known yet
    uint64_t first_event;         // of the lane, counted in the log
    struct segment_start *places; // for each worker's segment
    bool is_at_end, lacks_memory;
};

// A record that was matched by itself, in a segment.
struct single {
    struct segment *segment;
    uint64_t segment_event; // the first of the segment, counted in the lane; wraps around
    bool is_first;          // of its lane, but not of the log
};

// Notes how many calls are open after the lane's current event.
static bool note_exception(struct single *single, const struct xray_lane *lane)
{
    struct segment *segment = single->segment;
    size_t depth = xray_match_depth(&lane->match);
    if (depth > UINT32_MAX || !VEC_ROOM(&segment->exceptions, 1))
        return false;
    segment->exceptions.items[segment->exceptions.count++] = (struct segment_exception){
        (uint32_t)(lane->events - 1 - single->segment_event), (uint32_t)depth};
    return true;
}

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    struct single *single = self;
    (void)call, (void)record;
    return !single->is_first || note_exception(single, lane);
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    (void)self, (void)lane, (void)call, (void)record, (void)is_unwound;
    return true;
}

// Matches a record. False: no memory.
static bool take_record(struct crew *crew, struct segment *segment, uint64_t segment_event,
                        const struct xray_record *record)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};
    struct xray_lane *lane = &crew->lane;
    uint64_t *buffer_events = crew->pass->buffer_events;
    const size_t depth = xray_match_depth(&lane->match);
    struct single single = {segment, segment_event, !lane->events && crew->first_event};
    // The buffers up to the current one begin before the next event.
    while (crew->next_buffer <= lane->cursor.buffer_index)
        buffer_events[crew->next_buffer++] = crew->first_event + lane->events;
    if (!xray_lane_take_any(lane, record, &single, &visitor))
        return false;
    const bool is_exit = xray_is_function(record->kind) && !xray_is_enter(record->kind);
    return !is_exit || xray_match_depth(&lane->match) + 1 == depth || note_exception(&single, lane);
}

// Matches the lane's records up to an event. False: the lane ended before it, or no memory.
static bool match_up_to(struct crew *crew, struct segment *segment, uint64_t segment_event,
                        uint64_t end_event)
{
    struct xray_lane *lane = &crew->lane;
    struct xray_record record;
    while (lane->events < end_event) {
        uint64_t count = u64_min(end_event - lane->events, XRAY_BATCH), before = lane->events;
        crew->lacks_memory = !xray_lane_run(lane, count, NULL, xray_lane_pass_by);
        if (!crew->lacks_memory && lane->events - before == count)
            continue;
        if (crew->lacks_memory || !xray_next(&lane->cursor, &record))
            return false;
        crew->lacks_memory = !take_record(crew, segment, segment_event, &record);
        if (crew->lacks_memory)
            return false;
    }
    return true;
}

// Continues with the next lane. False: there is none, or no memory.
static bool next_lane(struct crew *crew)
{
    struct xray_pass *pass = crew->pass;
    struct xray_lane *lane = &crew->lane;
    uint32_t number = lane->cursor.thread;
    lane->counts.unmatched_entries += xray_match_depth(&lane->match);
    xray_pass_end_lane(pass, lane, number);
    if (number + 1 == pass->log->threads.count)
        return false;
    crew->first_event += lane->events;
    xray_lane_free(lane);
    crew->lacks_memory = !xray_lane_begin(lane, pass->log, number + 1);
    return !crew->lacks_memory;
}

static bool take_segment(void *self, unsigned worker, struct segment *segment)
{
    struct crew *crew = self;
    struct xray_lane *lane = &crew->lane;
    uint64_t wanted = crew->pass->segments.segment_events, count = 0;
    crew->places[worker] = (struct segment_start){lane->cursor, lane->time};
    segment->is_nested = true;
    segment->depth = crew->is_at_end ? 0 : xray_match_depth(&lane->match);
    while (!crew->is_at_end && count < wanted) {
        uint64_t before = lane->events;
        bool goes_on = match_up_to(crew, segment, before - count, before + wanted - count);
        count += lane->events - before;
        crew->is_at_end = crew->lacks_memory || (!goes_on && !next_lane(crew));
    }
    segment->event_count = (uint32_t)count;
    return !crew->lacks_memory;
}

static void fill_segment(void *self, unsigned worker, struct segment *segment)
{
    const struct crew *crew = self;
    // Fills the rows of a segment, whose number is known. Lanes follow one after the other.
    struct segment_start *place = &crew->places[worker];
    const struct xray_log *log = place->cursor.log;
    struct xray_record record;
    for (size_t row = 0; (row = put_plain(&segment->events, row, segment->event_count, place)) <
                         segment->event_count;) {
        if (!xray_next(&place->cursor, &record)) {
            uint32_t next = place->cursor.thread + 1;
            if (next == log->threads.count) {
                // The log was changed since its rows were counted; the mapping detects this.
                for (; row < segment->event_count; row++)
                    put_row(&segment->events, row, place->time, 0, 0, XRAY_ENTER);
                return;
            }
            xray_cursor_thread(&place->cursor, log, next);
            place->time = 0;
        } else if (xray_is_function(record.kind)) {
            place->time = u64_max(place->time, record.tsc);
            put_row(&segment->events, row++, place->time, record.offset, record.function,
                    record.kind);
        }
    }
}

static enum status run(struct xray_pass *pass, struct error *err)
{
    const struct xray_log *log = pass->log;
    struct crew crew = {.pass = pass};
    const struct segment_crew work = {&pass->segments, pass->threads, &crew, take_segment,
                                      fill_segment};
    pass->buffer_events = calloc(log->buffers.count + 1, sizeof *pass->buffer_events);
    crew.places = calloc(pass->threads, sizeof *crew.places);
    *err = (struct error){.status = STATUS_OK};
    crew.lacks_memory = !pass->buffer_events || !crew.places;
    crew.is_at_end = !log->threads.count;
    if (!crew.is_at_end && !crew.lacks_memory)
        crew.lacks_memory = !xray_lane_begin(&crew.lane, log, 0);
    if (!crew.lacks_memory)
        segment_crew_run(&work, err);
    // The first event of buffers after the last event.
    while (!crew.lacks_memory && crew.next_buffer < log->buffers.count)
        pass->buffer_events[crew.next_buffer++] = crew.first_event + crew.lane.events;
    xray_lane_free(&crew.lane);
    free(crew.places);
    return crew.lacks_memory && err->status == STATUS_OK
               ? error_set(err, STATUS_MEMORY, "no memory for segments of the index")
               : err->status;
}

enum status xray_segments_run(struct xray_pass *pass, struct pass_result *result, struct error *err)
{
    uint64_t start_ns = monotonic_ns();
    *result = (struct pass_result){0};
    pass->result = result;
    pass->damage = pass->log->damage;
    if (!xray_pass_begin_lanes(pass, result))
        return error_set(err, STATUS_MEMORY, "no memory for the threads of the log");
    enum status status = run(pass, err);
    if (status == STATUS_OK)
        xray_pass_sum_up(pass, result);
    result->wall_ns = monotonic_ns() - start_ns;
    return status;
}
