// Calls of a thread of an XRay log that reports leave out: those of hidden functions, with all that
// was called in them. They are matched as any, so that it is the same calls that end; but time
// stands still in them, so that how long the calls around them took is without theirs.
//
//     xray_hiding_begin(&hiding);                       a thread
//     xray_hiding_enter(&hiding, &match, function, tsc)  before each call is entered
//     xray_hiding_leave(&hiding, &match, tsc)            after each call is left
#ifndef TRAWL_TRACE_XRAY_HIDING_H
#define TRAWL_TRACE_XRAY_HIDING_H

#include "trace/xray/latency.h"
#include "trace/xray/match.h"

// Who knows which functions are hidden; may be asked by several threads at once.
struct xray_hider {
    void *self;
    bool (*hides)(void *self, uint32_t function);
};

// All zero except for the hider. Freed by xray_hiding_free.
struct xray_hiding {
    const struct xray_hider *hider; // NULL: nothing is hidden
    struct latency_table answers;   // of functions: max is 1 of hidden ones, 2 of others
    size_t outer;                   // depth in the outermost hidden call that is open; 0: none is
    uint64_t since;                 // when that was entered
    uint64_t ticks;                 // in hidden calls of the thread
    uint64_t all_ticks, all_calls;  // of all threads, of the outermost ones that ended
    bool was_after_exit;            // xray_match.is_after_exit before the outermost one
};

static inline void xray_hiding_begin(struct xray_hiding *hiding)
{
    hiding->outer = 0;
    hiding->ticks = 0;
}

static inline void xray_hiding_free(struct xray_hiding *hiding)
{
    latency_table_free(&hiding->answers);
}

// The time as far as it did not stand still.
static inline uint64_t xray_hiding_time(const struct xray_hiding *hiding, uint64_t tsc)
{
    return tsc - hiding->ticks;
}

// How long a call took that was entered at such a time, and is left at `tsc`. Clocks of processors
// may disagree, so that either may be the earlier one, and such a time below 0.
static inline uint64_t xray_hiding_ticks(const struct xray_hiding *hiding, uint64_t entered,
                                         uint64_t tsc)
{
    if (!hiding->hider)
        return xray_ticks_between(entered, tsc);
    uint64_t ticks = xray_hiding_time(hiding, tsc) - entered;
    return ticks >> 63 ? 0 - ticks : ticks;
}

// Whether a call is hidden that is about to be entered. Without memory for the
// answer, answers.lacks_memory.
bool xray_hiding_enter(struct xray_hiding *hiding, const struct xray_match *match,
                       uint32_t function, uint64_t tsc);

// Whether the call was hidden that has just been left.
bool xray_hiding_leave(struct xray_hiding *hiding, struct xray_match *match, uint64_t tsc);

#endif
