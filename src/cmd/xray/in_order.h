// Records and calls of all threads of a log in the order of time.
#ifndef TRAWL_CMD_XRAY_IN_ORDER_H
#define TRAWL_CMD_XRAY_IN_ORDER_H

#include "base/base.h"
#include "base/vec.h"
#include "cmd/xray/sums.h"
#include "trace/xray/match.h"
#include "trace/xray/record.h"

#include <stdlib.h>

// --- Turns: a heap of threads --------------------------------------------------------------------

// Which thread comes next: the threads of a log in a heap, by the time of their next record.

// At the same time, the thread that is first in the log's list comes first.
struct xray_turn {
    uint64_t tsc;
    uint32_t thread;
};

struct xray_turns {
    struct xray_turn *heap; // room for all threads; the next one is first
    size_t count;
};

// Allocates room for this many threads. False: no memory. Free with xray_turns_free in any case.
static inline bool xray_turns_begin(struct xray_turns *turns, size_t threads)
{
    *turns = (struct xray_turns){.heap = calloc(threads + 1, sizeof *turns->heap)};
    return turns->heap != NULL;
}

static inline void xray_turns_free(struct xray_turns *turns)
{
    free(turns->heap);
    *turns = (struct xray_turns){0};
}

static ALWAYS_INLINE bool xray_turn_is_before(struct xray_turn a, struct xray_turn b)
{
    return a.tsc != b.tsc ? a.tsc < b.tsc : a.thread < b.thread;
}

// Private: puts a turn in its place at or below `at`, overwriting the item at `at`.
static ALWAYS_INLINE void xray_turns_sink(struct xray_turns *turns, size_t at,
                                          struct xray_turn turn)
{
    struct xray_turn *heap = turns->heap;
    for (size_t child; (child = 2 * at + 1) < turns->count; at = child) {
        child += child + 1 < turns->count && xray_turn_is_before(heap[child + 1], heap[child]);
        if (!xray_turn_is_before(heap[child], turn))
            break;
        heap[at] = heap[child];
    }
    heap[at] = turn;
}

// Adds a thread; each only once, in any order.
static inline void xray_turns_add(struct xray_turns *turns, struct xray_turn turn)
{
    size_t at = turns->count++;
    for (; at && xray_turn_is_before(turn, turns->heap[(at - 1) / 2]); at = (at - 1) / 2)
        turns->heap[at] = turns->heap[(at - 1) / 2];
    turns->heap[at] = turn;
}

// The current thread has another record, at this time.
static ALWAYS_INLINE void xray_turns_go_on(struct xray_turns *turns, uint64_t tsc)
{
    xray_turns_sink(turns, 0, (struct xray_turn){tsc, turns->heap[0].thread});
}

// The current thread has no more records.
static inline void xray_turns_end(struct xray_turns *turns)
{
    if (--turns->count)
        xray_turns_sink(turns, 0, turns->heap[turns->count]);
}

// --- merge.c -------------------------------------------------------------------------------------

// The calls and events of all threads of an XRay log, ordered by time, with their arguments.
//
// Each thread keeps its own order. Of events at the same time, that of the thread that is earlier
// in the log's list comes first. The memory needed is one cursor for each thread.

// A function record or an event. Valid until the next one.
struct xray_item {
    struct xray_record record; // of an entry with arguments: kind XRAY_ENTER_ARGS
    uint32_t thread;           // index in log->threads
    uint16_t cpu;
    const uint64_t *arguments;
    size_t argument_count;
};

// A thread and its next item.
struct xray_stream {
    struct xray_cursor cursor;
    struct xray_item item;
    struct xray_record ahead; // already read, if has_ahead
    bool has_ahead;
    uint16_t ahead_cpu;
    VEC(, uint64_t) arguments;
};

struct xray_merge {
    const struct xray_log *log;
    struct xray_stream *streams;
    struct xray_turns turns; // of streams that have an item
    bool is_sorted;
    bool is_begun;
    bool lacks_memory;
    struct trace_damage damage;
};

// Without `is_sorted`, items are returned thread after thread. False: no memory. Free with
// xray_merge_free in any case.
bool xray_merge_begin(struct xray_merge *merge, const struct xray_log *log, bool is_sorted);

// The next item; NULL: there is none, or lacks_memory.
const struct xray_item *xray_merge_next(struct xray_merge *merge);

void xray_merge_free(struct xray_merge *merge);

// --- events.c ------------------------------------------------------------------------------------

// The beginnings and ends of all calls of an XRay log, ordered by time or thread after thread, each
// with its stack.
//
// The calls of each thread nest. An exit of a function further down ends all calls above it,
// innermost first. An exit of a function that is not open is counted and otherwise ignored. Calls
// that are open at the end of the log stay open. The memory needed is that of the stacks and a
// batch of events for each thread.

struct xray_event {
    uint64_t tsc;
    uint32_t function, thread; // index in log->threads
    uint32_t stack;            // index in events->stacks
    bool is_end;
};

// A thread and its next events.
struct xray_event_lane {
    struct xray_cursor cursor;
    struct xray_match match;
    struct xray_event *events;
    uint32_t next, count, room; // indices and counts in `events`
    bool is_leaving; // an exit is being processed, which ends all calls but the first `left`
    uint64_t left, exit_tsc;
};

// Fields are read-only for users.
struct xray_events {
    const struct xray_log *log;
    struct xray_event_lane *lanes; // one for each thread
    struct xray_turns turns;       // of lanes that have events
    struct xray_stack_tree stacks;
    struct xray_batch batch;
    uint32_t entered[XRAY_BATCH]; // stacks of the batch's entries
    struct xray_exits exits;
    struct trace_damage damage; // inside buffers
    bool is_sorted, lacks_memory;
};

// Without `is_sorted`, events are returned thread after thread. False: no memory. Free with
// xray_events_free in any case, which also accepts a struct of zeros.
bool xray_events_begin(struct xray_events *events, const struct xray_log *log, bool is_sorted);

// The earliest start time of a thread, before any event is read; 0: there are none.
uint64_t xray_events_start(const struct xray_events *events);

// Reads up to `room` further events. Fewer: there are no more, or lacks_memory.
size_t xray_events_read(struct xray_events *events, struct xray_event *found, size_t room);

void xray_events_free(struct xray_events *events);

#endif
