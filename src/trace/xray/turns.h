// Which thread comes next: the threads of a log in a heap, by the time of their next record.
#ifndef TRAWL_TRACE_XRAY_TURNS_H
#define TRAWL_TRACE_XRAY_TURNS_H

#include <stdlib.h>

#include "base/base.h"

// At the same time the thread that stands first in the log's list goes first.
struct xray_turn {
    uint64_t tsc;
    uint32_t thread;
};

struct xray_turns {
    struct xray_turn *heap; // room for all threads; the next one first
    size_t count;
};

// Room for so many threads. False: no memory. Freed by xray_turns_free either way.
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

// Private: puts a turn where it belongs at or below `at`, of which nothing is kept.
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

// Adds a thread, each once, in the order of the log's list or not.
static inline void xray_turns_add(struct xray_turns *turns, struct xray_turn turn)
{
    size_t at = turns->count++;
    for (; at && xray_turn_is_before(turn, turns->heap[(at - 1) / 2]); at = (at - 1) / 2)
        turns->heap[at] = turns->heap[(at - 1) / 2];
    turns->heap[at] = turn;
}

// The thread whose turn it is has something further, at this time.
static ALWAYS_INLINE void xray_turns_go_on(struct xray_turns *turns, uint64_t tsc)
{
    xray_turns_sink(turns, 0, (struct xray_turn){tsc, turns->heap[0].thread});
}

// It has nothing further.
static inline void xray_turns_end(struct xray_turns *turns)
{
    if (--turns->count)
        xray_turns_sink(turns, 0, turns->heap[turns->count]);
}

#endif
