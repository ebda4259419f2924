// A thread of an XRay log: its entries and exits matched into calls.
//
// An entry opens a call. An exit closes the innermost open call of its function, and all calls
// inside that one. Those have no exit of their own: a program writes none for a function that is
// left by an exception or longjmp. They are counted as unwound. An exit of a function that is not
// open is unmatched: it is counted, and open calls stay open. The exit of a call that is still open
// at the end was lost, or had not happened yet.
//
// Times of a lane never decrease: if the time stamp of a record is before that of an earlier one
// (the clock went back, or the log is damaged), the earlier time is used, and the record is
// counted.
#ifndef TRAWL_TRACE_XRAY_LANE_H
#define TRAWL_TRACE_XRAY_LANE_H

#include "flow/clip.h"
#include "flow/function_id.h"
#include "idx/segment_rows.h"
#include "trace/xray/match.h"
#include "trace/xray/record.h"

// Flags of a function record as an event of an index: visits to a function are its entries.
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

// The function records of a lane, from the events of an index.
struct xray_rows {
    struct trawl_index *index;
    uint64_t next, end;       // event numbers
    struct event_rows *block; // current block; the fields below are what was read of it
    uint64_t first, count;
    const uint64_t *times, *positions, *pcs, *flags;
    struct error *err; // the error that ended reading; its status is STATUS_OK without an error
};

// Fields are read-only for users, except in xray_lane_walk.
struct xray_lane {
    struct xray_rows *rows; // NULL: records are read from the log
    struct xray_cursor cursor;
    // The open calls. For each, xray_call.tsc is the time of its entry, which never decreases, and
    // xray_call.path the event of its entry. A visitor may use the place in xray_call.who.
    struct xray_match match;
    VEC(, uint64_t)
    offsets;         // of their entries in the log, except for those that xray_lane_run processed
    uint64_t events; // function records so far; their numbers count from 0
    uint64_t time;   // of the last of them
    uint64_t first_time, first_offset, last_offset; // of the first and the last function record
    // The times of two requested events: 0; or UINT64_MAX before they are passed.
    uint64_t wanted_events[2], wanted_times[2];
    uint64_t next_wanted;
    struct xray_lane_counts counts;
    struct trace_damage damage;
};

// Called for each record, after the lane's own bookkeeping. If a function returns false (for
// example because there is no memory), the walk ends. Should be a constant where xray_lane_walk is
// called, so that the functions are compiled into the loop.
struct xray_visitor {
    // A call was opened. It is the innermost of lane->match.
    bool (*enter)(void *self, struct xray_lane *lane, struct xray_call *call,
                  const struct xray_record *record);
    // A call was closed by `record`: its exit or, if `is_unwound`, the exit of an outer call. It is
    // still the innermost call of lane->match.
    bool (*leave)(void *self, struct xray_lane *lane, const struct xray_call *call,
                  const struct xray_record *record, bool is_unwound);
    // An exit that closes nothing. NULL: ignored.
    bool (*unmatched)(void *self, struct xray_lane *lane, const struct xray_record *record);
    // A record that is not a function record, including faults. NULL: ignored.
    bool (*other)(void *self, struct xray_lane *lane, const struct xray_record *record);
};

// Begins a thread. False: no memory. Free with xray_lane_free in any case.
bool xray_lane_begin(struct xray_lane *lane, const struct xray_log *log, uint32_t thread);
void xray_lane_free(struct xray_lane *lane);

// Requests the times of two events. Call before the walk.
void xray_lane_want_times(struct xray_lane *lane, uint64_t first_event, uint64_t last_event);

// Open call `number`, counted from 0, the outermost; and where its entry is in the log.
static inline const struct xray_call *xray_lane_call(const struct xray_lane *lane, size_t number)
{
    return &lane->match.calls.items[number + 1];
}

static inline uint64_t xray_lane_offset(const struct xray_lane *lane, const struct xray_call *call)
{
    return lane->offsets.items[call - xray_lane_call(lane, 0)];
}

// Private to xray_lane_walk: the parts that need not be fast.
void xray_lane_note_time(struct xray_lane *lane);
void xray_lane_note_other(struct xray_lane *lane, const struct xray_record *record);
bool xray_lane_make_room(struct xray_lane *lane);

// Begins the next `count` events after those of the previous lane. For the first lane, initialize
// with zeros. The caller frees `block`. False: no memory.
bool xray_rows_begin(struct xray_rows *rows, struct trawl_index *index, uint64_t count,
                     struct error *err);

// Reads the next block of rows. False: there is none, or rows->err has the reason.
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

// The same from rows, which have no other records.
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

// Processes all records of the thread. False: a visitor ended it, there is no memory for the open
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

// The state of xray_lane_run.
struct xray_lane_batch {
    void *self;
    uint64_t event, time; // of the current record; the time never decreases
    uint64_t entries, tail_exits, falling_times;
    const struct xray_call *outside; // the item before the outermost call
};

// The step of xray_match_each, with the batch as first argument. It must begin with xray_lane_step.
typedef void xray_lane_stepper(void *batch, struct xray_call *top, const struct xray_step *record);

// Counts the record, and prepares top[1] for the call that may begin, except for its place.
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

// The step of who wants nothing of plain records but that they are matched.
static ALWAYS_INLINE void xray_lane_pass_by(void *batch, struct xray_call *top,
                                            const struct xray_step *record)
{
    xray_lane_step(batch, top, record);
}

// Processes up to `count` plain records at once (match.h), at most XRAY_BATCH; none, if the next
// one must be processed separately. False: no memory.
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

// Like xray_lane_walk, with a step for plain records instead of the visitor's enter and leave.
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

// The same for a thread of which only counts and damage are needed.
bool xray_lane_read(struct xray_lane *lane);

// Ticks of an open call within the clip's range, if it ended at the lane's current record. False:
// it is outside of the range.
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
