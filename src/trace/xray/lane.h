// One thread of an XRay log: its entries and exits matched into calls.
//
// An entry opens a call. An exit closes the innermost open call of its function, and with it all
// calls inside of that, which have no exit of their own: a program writes none for a function that
// an exception or longjmp leaves. They are counted as unwound. An exit of a function that is not
// open is unmatched: it is counted, and what is open stays open. What is still open at the end has
// lost its exit, or had none yet.
//
// Times of a lane never fall: a record whose time stamp is before that of an earlier one (the
// clock went back, or the log is damaged) counts for the earlier one's, and is counted itself.
#ifndef TRAWL_TRACE_XRAY_LANE_H
#define TRAWL_TRACE_XRAY_LANE_H

#include "flow/clip.h"
#include "flow/function_id.h"
#include "idx/segment_rows.h"
#include "trace/xray/match.h"
#include "trace/xray/record.h"

// A function record as an event of an index: visits to a function are its entries.
static inline uint8_t xray_event_flags(enum xray_kind kind)
{
    return (uint8_t)((unsigned)kind << EVENT_XRAY_KIND_SHIFT |
                     (xray_is_enter(kind) ? EVENT_HAS_INSTRUCTION | EVENT_EXECUTED : 0));
}

static inline enum xray_kind xray_event_kind(uint64_t flags)
{
    return (enum xray_kind)(flags >> EVENT_XRAY_KIND_SHIFT & 3);
}

struct xray_lane_counts {
    uint64_t calls; // closed
    struct xray_exits exits;
    uint64_t unmatched_entries; // open at the end, or unwound
    uint64_t tail_exits;
    uint64_t arguments, custom_events, typed_events;
    uint64_t falling_times;
};

struct trawl_index;
struct event_rows;

// A lane's function records, as events of an index.
struct xray_rows {
    struct trawl_index *index;
    uint64_t next, end;       // event
    struct event_rows *block; // in hand; here what is read of it
    uint64_t first, count;
    const uint64_t *times, *positions, *pcs, *flags;
    struct error *err; // what ended the reading: status STATUS_OK unless something did
};

// Fields are for reading, except for xray_lane_walk.
struct xray_lane {
    struct xray_rows *rows; // NULL: the records are read from the log
    struct xray_cursor cursor;
    // The open calls: of each, xray_call.tsc is when it began, never falling, and xray_call.path
    // the event of its entry. Who looks on may have a place of its own for it.
    struct xray_match match;
    VEC(, uint64_t)
    offsets;         // of their entries in the log, except for those that xray_lane_run took
    uint64_t events; // function records so far; their numbers count from 0
    uint64_t time;   // of the last of them
    uint64_t first_time, first_offset, last_offset; // of the first and the last of them
    // The times of two events that somebody wants to know: 0, UINT64_MAX until they are passed.
    uint64_t wanted_events[2], wanted_times[2];
    uint64_t next_wanted;
    struct xray_lane_counts counts;
    struct trace_damage damage;
};

// Who looks on. Each is called after the lane's own bookkeeping; those that return false (no
// memory, say) end the walk. Meant to be constants where xray_lane_walk is called, so that they are
// compiled into the loop.
struct xray_visitor {
    // A call was opened. It is the innermost of lane->match.
    bool (*enter)(void *self, struct xray_lane *lane, struct xray_call *call,
                  const struct xray_record *record);
    // A call was closed by `record`, which is the exit of it (`is_unwound`: of one further out). It
    // still is the innermost of lane->match.
    bool (*leave)(void *self, struct xray_lane *lane, const struct xray_call *call,
                  const struct xray_record *record, bool is_unwound);
    // An exit that closes nothing. NULL: not wanted.
    bool (*unmatched)(void *self, struct xray_lane *lane, const struct xray_record *record);
    // A record that is none of a function, faults included. NULL: not wanted.
    bool (*other)(void *self, struct xray_lane *lane, const struct xray_record *record);
};

// Begins a thread. False: no memory. Freed by xray_lane_free either way.
bool xray_lane_begin(struct xray_lane *lane, const struct xray_log *log, uint32_t thread);
void xray_lane_free(struct xray_lane *lane);

// Has the times of two events kept. Before the walk.
void xray_lane_want_times(struct xray_lane *lane, uint64_t first_event, uint64_t last_event);

// Open call `number`, from 0, the outermost; and where in the log its entry is.
static inline const struct xray_call *xray_lane_call(const struct xray_lane *lane, size_t number)
{
    return &lane->match.calls.items[number + 1];
}

static inline uint64_t xray_lane_offset(const struct xray_lane *lane, const struct xray_call *call)
{
    return lane->offsets.items[call - xray_lane_call(lane, 0)];
}

// Private to xray_lane_walk: what need not be fast.
void xray_lane_note_time(struct xray_lane *lane);
void xray_lane_note_other(struct xray_lane *lane, const struct xray_record *record);
bool xray_lane_make_room(struct xray_lane *lane);

// Begins with the next `count` events after those of the lane before, of an all-zero struct with
// the first, whose block is the caller's to free. False: no memory.
bool xray_rows_begin(struct xray_rows *rows, struct trawl_index *index, uint64_t count,
                     struct error *err);

// Reads the next block of rows. False: there is none, or rows->err says why.
bool xray_rows_read(struct xray_rows *rows);

static ALWAYS_INLINE bool xray_lane_enter(struct xray_lane *lane, const struct xray_record *record,
                                          void *self, const struct xray_visitor *visitor)
{
    const struct xray_call call = {lane->time, record->function, lane->events - 1};
    size_t depth = xray_match_depth(&lane->match);
    if (UNLIKELY(lane->offsets.capacity <= depth) && !xray_lane_make_room(lane))
        return false;
    lane->offsets.items[depth] = record->offset;
    return xray_match_enter(&lane->match, &call) &&
           visitor->enter(self, lane, xray_match_top(&lane->match), record);
}

static ALWAYS_INLINE bool xray_lane_exit(struct xray_lane *lane, const struct xray_record *record,
                                         void *self, const struct xray_visitor *visitor)
{
    uint64_t depth = xray_match_depth(&lane->match);
    uint64_t left = xray_match_exit(&lane->match, record->function, true, &lane->counts.exits);
    lane->counts.tail_exits += record->kind == XRAY_TAIL_EXIT;
    if (UNLIKELY(left == UINT64_MAX))
        return !lane->match.open.lacks_memory &&
               (!visitor->unmatched || visitor->unmatched(self, lane, record));
    lane->counts.calls++;
    lane->counts.unmatched_entries += depth - left - 1;
    for (; depth > left; depth--) {
        if (!visitor->leave(self, lane, xray_match_top(&lane->match), record, depth > left + 1))
            return false;
        xray_match_leave(&lane->match);
    }
    return true;
}

static ALWAYS_INLINE void xray_lane_move_time(struct xray_lane *lane,
                                              const struct xray_record *record)
{
    if (UNLIKELY(lane->events == 0)) {
        lane->time = lane->first_time = record->tsc;
        lane->first_offset = record->offset;
    }
    bool falls = record->tsc < lane->time;
    lane->counts.falling_times += falls;
    lane->time = falls ? lane->time : record->tsc;
    lane->last_offset = record->offset;
    if (UNLIKELY(lane->events == lane->next_wanted))
        xray_lane_note_time(lane);
    lane->events++;
}

static ALWAYS_INLINE bool xray_lane_take(struct xray_lane *lane, const struct xray_record *record,
                                         void *self, const struct xray_visitor *visitor)
{
    xray_lane_move_time(lane, record);
    return xray_is_enter(record->kind) ? xray_lane_enter(lane, record, self, visitor)
                                       : xray_lane_exit(lane, record, self, visitor);
}

static ALWAYS_INLINE bool xray_lane_take_any(struct xray_lane *lane,
                                             const struct xray_record *record, void *self,
                                             const struct xray_visitor *visitor)
{
    if (LIKELY(xray_is_function(record->kind)))
        return xray_lane_take(lane, record, self, visitor);
    xray_lane_note_other(lane, record);
    return !visitor->other || visitor->other(self, lane, record);
}

// The same from rows, which do not have other records.
static ALWAYS_INLINE bool xray_lane_walk_rows(struct xray_lane *lane, void *self,
                                              const struct xray_visitor *visitor)
{
    struct xray_rows *rows = lane->rows;
    bool goes_on = true;
    while (goes_on && xray_rows_read(rows)) {
        for (size_t i = (size_t)(rows->next - rows->first);
             i < rows->count && rows->next < rows->end && goes_on; i++, rows->next++) {
            const struct xray_record record = {.kind = xray_event_kind(rows->flags[i]),
                                               .function = function_id(rows->pcs[i]),
                                               .tsc = rows->times[i],
                                               .offset = rows->positions[i]};
            goes_on = xray_lane_take(lane, &record, self, visitor);
        }
    }
    lane->counts.unmatched_entries += xray_match_depth(&lane->match);
    return goes_on && rows->err->status == STATUS_OK;
}

// Takes all records of the thread. False: a visitor said so, there is no memory for the open
// calls, or the rows could not be read.
static ALWAYS_INLINE bool xray_lane_walk(struct xray_lane *lane, void *self,
                                         const struct xray_visitor *visitor)
{
    struct xray_record record;
    struct xray_cursor cursor = lane->cursor;
    bool goes_on = true;
    if (lane->rows)
        return xray_lane_walk_rows(lane, self, visitor);
    while (goes_on && xray_next(&cursor, &record))
        goes_on = xray_lane_take_any(lane, &record, self, visitor);
    lane->cursor = cursor;
    lane->counts.unmatched_entries += xray_match_depth(&lane->match);
    return goes_on;
}

// --- Batches -------------------------------------------------------------------------------------

// What xray_lane_run has in hand.
struct xray_lane_batch {
    void *self;
    uint64_t event, time; // of the current record; the time does not fall
    uint64_t entries, tail_exits, falling_times;
    const struct xray_call *outside; // of all calls
};

// As that of xray_match_each, whose first argument is the batch. It begins with xray_lane_step.
typedef void xray_lane_stepper(void *batch, struct xray_call *top, const struct xray_step *record);

// Takes the record into account, and has top[1] ready for the call that may begin, except for its
// place.
static ALWAYS_INLINE void xray_lane_step(struct xray_lane_batch *batch, struct xray_call *top,
                                         const struct xray_step *record)
{
    batch->event++;
    batch->entries += 1 - record->is_exit;
    batch->tail_exits += record->kind == XRAY_TAIL_EXIT;
    batch->falling_times += record->tsc < batch->time;
    batch->time = u64_max(batch->time, record->tsc);
    top[1] = (struct xray_call){batch->time, record->function, batch->event};
}

// Takes up to `count` plain records at once (match.h), at most XRAY_BATCH; none where one must
// be taken alone. False: no memory.
static ALWAYS_INLINE bool xray_lane_run(struct xray_lane *lane, uint64_t count, void *self,
                                        xray_lane_stepper *step)
{
    if (UNLIKELY(!VEC_ROOM(&lane->match.calls, XRAY_BATCH + 1)))
        return false;
    struct xray_lane_batch batch = {.self = self,
                                    .event = lane->events - 1,
                                    .time = lane->time,
                                    .outside = lane->match.calls.items};
    count = lane->events ? u64_min(count, lane->next_wanted - lane->events) : 0;
    if (!xray_match_each(&lane->match, &lane->cursor, (size_t)count, &batch, step))
        return false;
    uint64_t taken = batch.event + 1 - lane->events;
    if (!taken)
        return true;
    lane->events += taken;
    lane->time = batch.time;
    lane->last_offset = (uint64_t)(lane->cursor.at - lane->cursor.log->data) -
                        xray_function_bytes(lane->cursor.is_basic);
    lane->counts.calls += taken - batch.entries;
    lane->counts.tail_exits += batch.tail_exits;
    lane->counts.falling_times += batch.falling_times;
    return true;
}

// As xray_lane_walk, with a step for plain records in place of the visitor's enter and leave.
static ALWAYS_INLINE bool xray_lane_walk_batches(struct xray_lane *lane, void *self,
                                                 const struct xray_visitor *visitor,
                                                 xray_lane_stepper *step)
{
    struct xray_record record;
    uint64_t before;
    if (lane->rows)
        return xray_lane_walk_rows(lane, self, visitor);
    do {
        do {
            before = lane->events;
            if (!xray_lane_run(lane, XRAY_BATCH, self, step))
                return false;
        } while (lane->events - before == XRAY_BATCH);
        if (!xray_next(&lane->cursor, &record)) {
            lane->counts.unmatched_entries += xray_match_depth(&lane->match);
            return true;
        }
    } while (xray_lane_take_any(lane, &record, self, visitor));
    return false;
}

// The same for a thread whose calls nobody asks for: for its counts and its damage.
bool xray_lane_read(struct xray_lane *lane);

// Ticks of an open call, which ends where the lane stands, within the clip's range. False if
// it lies outside.
static inline bool xray_lane_clip(const struct xray_lane *lane, const struct xray_call *call,
                                  struct clip *clip, uint64_t *ticks)
{
    struct node_ref entry = {.event = call->path, .time = call->tsc};
    struct node_ref exit = {.event = lane->events - 1, .time = lane->time};
    bool is_clipped = false;
    clip->first_event_time = lane->wanted_times[0];
    clip->last_event_time = lane->wanted_times[1];
    if (!clip_nodes(clip, &entry, &exit, &is_clipped))
        return false;
    *ticks = exit.time - entry.time;
    return true;
}

#endif
