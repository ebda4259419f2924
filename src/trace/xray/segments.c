// The function records of an XRay log as the events of an index, cut into segments of a fixed
// number of events (flow/segment.h): lane by lane, each in its own order.
//
// They are not ordered by time: such an order would be useful only as far as the clocks of
// processors agree, the records of a lane would be far apart, and the thread of an event would not
// follow from its number.
//
// A segment is read twice: in order, for its calls (xray_calls), which shows where the next segment
// begins; and then, in parallel with others, for its rows.
#include "trace/xray/pass.h"

#include "base/ordered.h"
#include "base/spool.h"
#include "flow/segment_crew.h"
#include "idx/call_batch.h"
#include "idx/index_write.h"
#include "trace/xray/lane.h"

#include <stdlib.h>

// --- Calls ---------------------------------------------------------------------------------------

// The calls of an XRay log for its index, numbered in the order of their entries, lane by lane.
//
// The length of a call is known only at its exit, before which millions of other calls may begin.
// So a thread is matched twice (match.h): first for the lengths, one number for each call, and then
// for everything else, when all facts about a group of calls are known as soon as their entries
// are. Matching again is several times as fast as writing the results and reading them again.

// In a length: the call was still open at the end of the log.
#define XRAY_CALL_IS_OPEN (UINT64_C(1) << 63)

// The state of a thread. Fields are read-only for users.
struct xray_calls {
    struct xray_lane lane;   // in its open calls, xray_call.tsc is the number of the call
    uint64_t number;         // of the next call
    struct spool *lengths;   // last event - first event, of each call
    uint64_t *buffer_events; // of all buffers: the number of events before each; NULL: not needed
    uint64_t next_buffer;    // the first buffer whose number is not known yet
    uint64_t first_event;    // of the lane, counted in the log
};

enum xray_calls_progress {
    XRAY_CALLS_GO_ON,
    XRAY_CALLS_LANE_ENDS,
    XRAY_CALLS_NO_MEMORY, // or no space for temporary files
};

// Begins a thread. For thread 0, initialize with zeros except for `lengths` and `buffer_events`;
// the other threads must follow in order. False: no memory. Free with xray_calls_free in any case.
static bool xray_calls_begin(struct xray_calls *calls, const struct xray_log *log, uint32_t thread)
{
    calls->first_event += calls->lane.events;
    xray_lane_free(&calls->lane);
    return xray_lane_begin(&calls->lane, log, thread);
}

static void xray_calls_free(struct xray_calls *calls)
{
    xray_lane_free(&calls->lane);
}

static uint64_t *lengths_of(const struct xray_calls *calls)
{
    return (uint64_t *)(void *)calls->lengths->base;
}

// --- Batches -------------------------------------------------------------------------------------

// Local state during a batch. If no length is to be written, it is written to `nowhere`.
struct numbering {
    uint64_t number;
    uint64_t *lengths, nowhere;
    struct call_group *group;
    size_t row;
};

static ALWAYS_INLINE void measure_step(void *self, struct xray_call *top,
                                       const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    xray_lane_step(batch, top, record);
    struct numbering *numbering = batch->self;
    uint64_t *length = record->is_exit ? &numbering->lengths[top->tsc] : &numbering->nowhere;
    *length = batch->event - 1 - top->path; // the exit comes after the call
    top[1].tsc = numbering->number;
    numbering->number += 1 - record->is_exit;
}

// Writes a call that begins to a row of the group.
static ALWAYS_INLINE void list_call(struct call_group *group, size_t row, uint64_t event,
                                    uint64_t depth, uint64_t parent, uint32_t function)
{
    group->columns[PART_CALL_ENTRIES][row] = event;
    group->columns[PART_CALL_DEPTHS][row] = depth;
    group->columns[PART_CALL_PARENTS][row] = depth > 1 ? parent : 0;
    group->columns[PART_CALL_PCS][row] = function_pc(function);
}

static ALWAYS_INLINE void list_step(void *self, struct xray_call *top,
                                    const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    xray_lane_step(batch, top, record);
    struct numbering *numbering = batch->self;
    list_call(numbering->group, numbering->row, batch->event, (uint64_t)(top - batch->outside) + 1,
              numbering->number - top->tsc, record->function);
    top[1].tsc = numbering->number;
    numbering->number += 1 - record->is_exit;
    numbering->row += 1 - (size_t)record->is_exit;
}

// Processes up to `count` plain records. False: no memory.
static ALWAYS_INLINE bool take_batch(struct xray_calls *calls, uint64_t count,
                                     struct call_group *group, bool is_listing)
{
    struct numbering numbering = {calls->number, lengths_of(calls), 0, group,
                                  is_listing ? group->count : 0};
    if (!xray_lane_run(&calls->lane, count, &numbering, is_listing ? list_step : measure_step))
        return false;
    calls->number = numbering.number;
    if (is_listing)
        group->count = numbering.row;
    return true;
}

// --- Single records ------------------------------------------------------------------------------

struct single {
    struct xray_calls *calls;
    struct call_group *group; // NULL: lengths are measured
};

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    const struct single *single = self;
    uint64_t number = single->calls->number++;
    if (single->group)
        list_call(single->group, single->group->count++, call->path, xray_match_depth(&lane->match),
                  number - call[-1].tsc, record->function);
    call->tsc = number;
    return true;
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    const struct single *single = self;
    (void)record, (void)is_unwound;
    if (!single->group) // event - 1 is the exit, which comes after the call
        lengths_of(single->calls)[call->tsc] = lane->events - 2 - call->path;
    return true;
}

static bool take_record(struct xray_calls *calls, const struct xray_record *record,
                        struct call_group *group)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};
    struct single single = {calls, group};
    // The buffers up to the current one begin before the next event.
    while (calls->buffer_events && calls->next_buffer <= calls->lane.cursor.buffer_index)
        calls->buffer_events[calls->next_buffer++] = calls->first_event + calls->lane.events;
    return xray_lane_take_any(&calls->lane, record, &single, &visitor);
}

// --- A thread ------------------------------------------------------------------------------------

// Lists the calls of `group`, or measures them up to `end_event`.
static ALWAYS_INLINE enum xray_calls_progress advance(struct xray_calls *calls, uint64_t end_event,
                                                      struct call_group *group, bool is_listing)
{
    struct xray_lane *lane = &calls->lane;
    struct xray_record record;
    uint64_t left;
    while ((left = is_listing ? CALL_GROUP - group->count : end_event - lane->events) > 0) {
        uint64_t count = u64_min(left, XRAY_BATCH), before = lane->events;
        if (!take_batch(calls, count, group, is_listing))
            return XRAY_CALLS_NO_MEMORY;
        if (lane->events - before == count)
            continue;
        if (!xray_next(&lane->cursor, &record))
            return XRAY_CALLS_LANE_ENDS;
        if (!take_record(calls, &record, group))
            return XRAY_CALLS_NO_MEMORY;
    }
    return XRAY_CALLS_GO_ON;
}

// Ends the thread: sets the lengths of open calls.
static void xray_calls_end_measured(struct xray_calls *calls)
{
    struct xray_lane *lane = &calls->lane;
    size_t depth = xray_match_depth(&lane->match);
    lane->counts.unmatched_entries += depth;
    for (size_t i = 0; i < depth; i++) {
        const struct xray_call *call = xray_lane_call(lane, i);
        lengths_of(calls)[call->tsc] = (lane->events - 1 - call->path) | XRAY_CALL_IS_OPEN;
    }
}

// --- Segments ------------------------------------------------------------------------------------

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
        // For the lengths of calls: an event begins at most one.
        const uint64_t lengths = (calls->number + wanted - count) * sizeof(uint64_t);
        enum xray_calls_progress progress =
            spool_reserve(calls->lengths, lengths)
                ? advance(calls, calls->lane.events + wanted - count, NULL, false)
                : XRAY_CALLS_NO_MEMORY;
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
    crew.calls.buffer_events = pass->buffer_events;
    crew.calls.lengths = &pass->call_lengths;
    *err = (struct error){.status = STATUS_OK};
    crew.lacks_memory = !pass->buffer_events || !crew.places;
    crew.is_at_end = !log->threads.count;
    if (!crew.is_at_end && !crew.lacks_memory)
        crew.lacks_memory = !xray_calls_begin(&crew.calls, log, 0);
    if (!crew.lacks_memory)
        segment_crew_run(&work, err);
    // The first event of buffers after the last event.
    while (!crew.lacks_memory && crew.calls.next_buffer < log->buffers.count)
        pass->buffer_events[crew.calls.next_buffer++] =
            crew.calls.first_event + crew.calls.lane.events;
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
        enum xray_calls_progress progress = advance(calls, 0, &slot->group, true);
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
