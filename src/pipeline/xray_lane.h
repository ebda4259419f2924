// One thread of an XRay log: its entries and exits matched into calls.
//
// An entry opens a call. An exit closes the innermost open call, if it is of the same function. If
// it is not, the exit is unmatched: it is counted, and what is open stays open. Only if asked
// (`deduce`, as llvm-xray's --deduce-sibling-calls) an exit of a function further out closes all
// calls down to it. What is still open at the end has lost its exit, or had none yet.
//
// Times of a lane never fall: a record whose time stamp lies before that of an earlier one (the
// clock went back, or the log is damaged) counts for the earlier one's, and is counted itself.
#ifndef TRAWL_PIPELINE_XRAY_LANE_H
#define TRAWL_PIPELINE_XRAY_LANE_H

#include "format/xray_record.h"
#include "idx/segment_rows.h"
#include "pipeline/clip.h"
#include "pipeline/open_functions.h"

// Function ids in the place of PCs: shifted, as bit 0 of a PC belongs to the instruction set.
static inline uint64_t xray_pc(uint32_t function)
{
    return (uint64_t)function << 1;
}

static inline uint32_t xray_function_of(uint64_t pc)
{
    return (uint32_t)(pc >> 1);
}

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

// What stands for the PC of what a thread does outside of every call: no function has it.
#define XRAY_ROOT_PC (UINT64_C(1) << 33)

// An open call.
struct xray_frame {
    uint64_t tsc;  // of its entry, as the log has it
    uint64_t time; // the same, never falling
    uint64_t event;
    uint64_t offset;
    uint32_t function;
    uint32_t tag; // the visitor's own
};

struct xray_lane_counts {
    uint64_t calls; // closed
    uint64_t unmatched_exits;
    uint64_t unmatched_entries; // open at the end, or closed by the exit of one further out
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

// Fields are for reading, but for xray_lane_walk.
struct xray_lane {
    struct xray_rows *rows; // NULL: the records are read from the log
    struct xray_cursor cursor;
    VEC(, struct xray_frame) frames; // the outermost first
    struct open_functions open;      // in frames
    uint64_t events;                 // function records so far; their numbers count from 0
    uint64_t time;                   // of the last of them
    uint64_t first_time, first_offset, last_offset; // of the first and the last of them
    // The times of two events that somebody wants to know: 0, UINT64_MAX until they are passed.
    uint64_t wanted_events[2], wanted_times[2];
    uint64_t next_wanted;
    struct xray_lane_counts counts;
    struct trace_damage damage;
    bool deduce;
};

// Who looks on. Each is called behind the lane's own bookkeeping; those that return false (no
// memory, say) end the walk. Meant to be constants where xray_lane_walk is called, so that they are
// compiled into the loop.
struct xray_visitor {
    // A call was opened. It is the last of lane->frames.
    bool (*enter)(void *self, struct xray_lane *lane, struct xray_frame *frame,
                  const struct xray_record *record);
    // A call was closed by `record`, which is the exit of it (`is_deduced`: of one further out). It
    // still is the last of lane->frames.
    bool (*leave)(void *self, struct xray_lane *lane, const struct xray_frame *frame,
                  const struct xray_record *record, bool is_deduced);
    // An exit that closes nothing. NULL: not wanted.
    bool (*unmatched)(void *self, struct xray_lane *lane, const struct xray_record *record);
    // A record that is none of a function, faults included. NULL: not wanted.
    bool (*other)(void *self, struct xray_lane *lane, const struct xray_record *record);
};

// Begins a thread. All zero but `thread` before; freed by xray_lane_free.
void xray_lane_begin(struct xray_lane *lane, const struct xray_log *log, uint32_t thread,
                     bool deduce);
void xray_lane_free(struct xray_lane *lane);

// Has the times of two events kept. Before the walk.
void xray_lane_want_times(struct xray_lane *lane, uint64_t first_event, uint64_t last_event);

// Private to xray_lane_walk: what need not be fast.
void xray_lane_note_time(struct xray_lane *lane);
void xray_lane_note_other(struct xray_lane *lane, const struct xray_record *record);
size_t xray_lane_find(struct xray_lane *lane, uint32_t function);

// Begins with the next `count` events behind those of the lane before, of an all-zero struct with
// the first, whose block is the caller's to free. False: no memory.
bool xray_rows_begin(struct xray_rows *rows, struct trawl_index *index, uint64_t count,
                     struct error *err);

// Reads the next block of rows. False: there is none, or rows->err tells why.
bool xray_rows_read(struct xray_rows *rows);

// The number of open calls that an exit closes.
static ALWAYS_INLINE size_t xray_lane_closed_by(struct xray_lane *lane, uint32_t function)
{
    size_t count = lane->frames.count;
    if (LIKELY(count && lane->frames.items[count - 1].function == function))
        return 1;
    return lane->deduce && count ? xray_lane_find(lane, function) : 0;
}

static ALWAYS_INLINE bool xray_lane_enter(struct xray_lane *lane, const struct xray_record *record,
                                          void *self, const struct xray_visitor *visitor)
{
    if (UNLIKELY(!VEC_ROOM(&lane->frames, 1)))
        return false;
    struct xray_frame *frame = &lane->frames.items[lane->frames.count++];
    *frame = (struct xray_frame){.tsc = record->tsc,
                                 .time = lane->time,
                                 .event = lane->events - 1,
                                 .offset = record->offset,
                                 .function = record->function};
    return visitor->enter(self, lane, frame, record);
}

static ALWAYS_INLINE bool xray_lane_exit(struct xray_lane *lane, const struct xray_record *record,
                                         void *self, const struct xray_visitor *visitor)
{
    size_t closed = xray_lane_closed_by(lane, record->function);
    lane->counts.tail_exits += record->kind == XRAY_TAIL_EXIT;
    if (UNLIKELY(!closed)) {
        lane->counts.unmatched_exits++;
        return !lane->open.lacks_memory &&
               (!visitor->unmatched || visitor->unmatched(self, lane, record));
    }
    lane->counts.calls++;
    lane->counts.unmatched_entries += closed - 1;
    for (; closed; closed--) {
        const struct xray_frame *frame = &lane->frames.items[lane->frames.count - 1];
        if (!visitor->leave(self, lane, frame, record, closed > 1))
            return false;
        uint32_t function = frame->function;
        open_functions_closed(&lane->open, --lane->frames.count, function);
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
                                               .function = xray_function_of(rows->pcs[i]),
                                               .tsc = rows->times[i],
                                               .offset = rows->positions[i]};
            goes_on = xray_lane_take(lane, &record, self, visitor);
        }
    }
    lane->counts.unmatched_entries += lane->frames.count;
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
    while (goes_on && xray_next(&cursor, &record)) {
        if (UNLIKELY(!xray_is_function(record.kind))) {
            xray_lane_note_other(lane, &record);
            goes_on = !visitor->other || visitor->other(self, lane, &record);
            continue;
        }
        goes_on = xray_lane_take(lane, &record, self, visitor);
    }
    lane->cursor = cursor;
    lane->counts.unmatched_entries += lane->frames.count;
    return goes_on;
}

// The same for a thread whose calls nobody asks for: for its counts and its damage.
bool xray_lane_read(struct xray_lane *lane);

// Ticks of the call of `frame`, which ends where the lane stands, within the clip's range. False if
// it lies outside.
static inline bool xray_lane_clip(const struct xray_lane *lane, const struct xray_frame *frame,
                                  struct clip *clip, uint64_t *ticks)
{
    struct node_ref entry = {.event = frame->event, .time = frame->time};
    struct node_ref exit = {.event = lane->events - 1, .time = lane->time};
    bool is_clipped;
    clip->first_event_time = lane->wanted_times[0];
    clip->last_event_time = lane->wanted_times[1];
    if (!clip_nodes(clip, &entry, &exit, &is_clipped))
        return false;
    *ticks = exit.time - entry.time;
    return true;
}

#endif
