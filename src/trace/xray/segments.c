#include "trace/xray/segments.h"

#include "base/clock.h"
#include "base/ordered.h"
#include "flow/segment_crew.h"
#include "trace/xray/calls.h"

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

// For a log that was changed since its rows were counted; the mapping detects this.
static void put_missing(const struct segment_events *events, size_t row, size_t count,
                        const struct segment_start *place)
{
    for (; row < count; row++)
        put_row(events, row, place->time, 0, 0, XRAY_ENTER);
}

// Fills the rows of a segment, whose number is known. Lanes follow one after the other.
static void put_rows(struct segment *segment, struct segment_start *place)
{
    const struct xray_log *log = place->cursor.log;
    struct xray_record record;
    for (size_t row = 0; (row = put_plain(&segment->events, row, segment->event_count, place)) <
                         segment->event_count;) {
        if (!xray_next(&place->cursor, &record)) {
            uint32_t next = place->cursor.thread + 1;
            if (next == log->threads.count) {
                put_missing(&segment->events, row, segment->event_count, place);
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

// --- Segments ------------------------------------------------------------------------------------

struct crew {
    struct xray_pass *pass;
    struct xray_calls calls;
    struct segment_start *places; // for each worker's segment
    bool is_at_end, lacks_memory;
};

// Continues with the next lane. False: there is none, or no memory.
static bool next_lane(struct crew *crew)
{
    struct xray_pass *pass = crew->pass;
    struct xray_calls *calls = &crew->calls;
    uint32_t lane = calls->lane.cursor.thread;
    xray_calls_end_measured(calls);
    xray_pass_end_lane(pass, &calls->lane, lane);
    if (lane + 1 == pass->log->threads.count)
        return false;
    crew->lacks_memory = !xray_calls_begin(calls, pass->log, lane + 1);
    return !crew->lacks_memory;
}

static bool take_segment(void *self, unsigned worker, struct segment *segment)
{
    struct crew *crew = self;
    struct xray_calls *calls = &crew->calls;
    uint64_t wanted = crew->pass->segments.segment_events, count = 0;
    crew->places[worker] = (struct segment_start){calls->lane.cursor, calls->lane.time};
    while (!crew->is_at_end && count < wanted) {
        uint64_t before = calls->lane.events;
        enum xray_calls_progress progress = xray_calls_measure(calls, wanted - count);
        count += calls->lane.events - before;
        crew->lacks_memory |= progress == XRAY_CALLS_NO_MEMORY;
        crew->is_at_end =
            crew->lacks_memory || (progress == XRAY_CALLS_LANE_ENDS && !next_lane(crew));
    }
    segment->event_count = (uint32_t)count;
    return !crew->lacks_memory;
}

static void fill_segment(void *self, unsigned worker, struct segment *segment)
{
    const struct crew *crew = self;
    put_rows(segment, &crew->places[worker]);
}

// Sets the first event of buffers after the last event.
static void end_buffers(struct xray_calls *calls, const struct xray_log *log)
{
    while (calls->next_buffer < log->buffers.count)
        calls->buffer_events[calls->next_buffer++] = calls->first_event + calls->lane.events;
}

static enum status run(struct xray_pass *pass, struct error *err)
{
    const struct xray_log *log = pass->log;
    struct crew crew = {.pass = pass};
    const struct segment_crew work = {&pass->segments, pass->threads, &crew, take_segment,
                                      fill_segment};
    pass->buffer_events = calloc(log->buffers.count + 1, sizeof *pass->buffer_events);
    crew.places = calloc(pass->threads, sizeof *crew.places);
    crew.calls.buffer_events = pass->buffer_events;
    crew.calls.lengths = &pass->call_lengths;
    *err = (struct error){.status = STATUS_OK};
    crew.lacks_memory = !pass->buffer_events || !crew.places;
    crew.is_at_end = !log->threads.count;
    if (!crew.is_at_end && !crew.lacks_memory)
        crew.lacks_memory = !xray_calls_begin(&crew.calls, log, 0);
    if (!crew.lacks_memory)
        segment_crew_run(&work, err);
    if (!crew.lacks_memory)
        end_buffers(&crew.calls, log);
    pass->call_lengths.used_bytes = crew.calls.number * sizeof(uint64_t);
    xray_calls_free(&crew.calls);
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

// --- Calls ---------------------------------------------------------------------------------------

// The group of calls that a worker is making.
struct group_slot {
    struct call_group group;
    uint64_t first; // number of its first call
    struct parts_writer parts;
    bool is_packed;
};

struct scribe {
    struct xray_pass *pass;
    struct index_writer *writer;
    struct xray_calls calls;
    struct group_slot *slots; // one for each worker
    bool is_at_end, lacks_memory;
};

static bool take_group(void *self, unsigned worker)
{
    struct scribe *scribe = self;
    struct xray_calls *calls = &scribe->calls;
    struct group_slot *slot = &scribe->slots[worker];
    const struct xray_log *log = scribe->pass->log;
    slot->first = calls->number;
    slot->group.count = 0;
    while (!scribe->is_at_end && slot->group.count < CALL_GROUP) {
        enum xray_calls_progress progress = xray_calls_list(calls, &slot->group);
        uint32_t next = calls->lane.cursor.thread + 1;
        bool is_next = progress == XRAY_CALLS_LANE_ENDS && next < log->threads.count;
        scribe->lacks_memory |=
            progress == XRAY_CALLS_NO_MEMORY || (is_next && !xray_calls_begin(calls, log, next));
        scribe->is_at_end = scribe->lacks_memory || (progress == XRAY_CALLS_LANE_ENDS && !is_next);
    }
    return slot->group.count && !scribe->lacks_memory;
}

static void make_group(void *self, unsigned worker)
{
    const struct scribe *scribe = self;
    struct group_slot *slot = &scribe->slots[worker];
    struct call_group *group = &slot->group;
    const struct spool *measured = &scribe->pass->call_lengths;
    const uint64_t *lengths = (const uint64_t *)(const void *)measured->base;
    uint64_t end = measured->used_bytes / sizeof *lengths;
    for (size_t i = 0; i < group->count; i++) {
        // More calls than were measured: the log was changed since then, which the mapping detects.
        uint64_t length = slot->first + i < end ? lengths[slot->first + i] : 0;
        group->columns[PART_CALL_LENGTHS][i] = length & ~XRAY_CALL_IS_OPEN;
        group->columns[PART_CALL_OPEN][i] = length / XRAY_CALL_IS_OPEN;
    }
    slot->is_packed = call_group_pack(group, &slot->parts);
}

static bool put_group(void *self, unsigned worker)
{
    struct scribe *scribe = self;
    const struct group_slot *slot = &scribe->slots[worker];
    return slot->is_packed && index_writer_add_group(scribe->writer, &slot->group, &slot->parts);
}

bool xray_segments_write_calls(struct xray_pass *pass, struct index_writer *writer, enum simd simd)
{
    static const struct ordered_work work = {take_group, make_group, put_group};
    struct scribe scribe = {.pass = pass, .writer = writer};
    scribe.calls.lengths = &pass->call_lengths;
    scribe.slots = calloc(pass->threads, sizeof *scribe.slots);
    for (unsigned i = 0; i < pass->threads && scribe.slots; i++)
        scribe.slots[i].parts.simd = simd;
    scribe.is_at_end = !pass->log->threads.count;
    bool is_done = scribe.slots &&
                   (scribe.is_at_end || xray_calls_begin(&scribe.calls, pass->log, 0)) &&
                   ordered_run(pass->threads, &scribe, &work) && !scribe.lacks_memory;
    for (unsigned i = 0; i < pass->threads && scribe.slots; i++)
        parts_writer_free(&scribe.slots[i].parts);
    free(scribe.slots);
    xray_calls_free(&scribe.calls);
    return is_done;
}
