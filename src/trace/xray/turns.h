// Which thread comes next: the threads of a log in a heap, by the time of their next record.
#ifndef TRAWL_TRACE_XRAY_TURNS_H
#define TRAWL_TRACE_XRAY_TURNS_H

#include <stdlib.h>

#include "base/base.h"

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

#endif
