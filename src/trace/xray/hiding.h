// Hides calls of a thread of an XRay log from reports: those of hidden functions, and all calls
// made in them. They are matched like others, so that the same calls end; but time stands still in
// them, so the durations of the calls around them do not include them.
//
//     xray_hiding_begin(&hiding);                       a thread
//     xray_hiding_enter(&hiding, &match, function, tsc)  before each call is entered
//     xray_hiding_leave(&hiding, &match, tsc)            after each call is left
#ifndef TRAWL_TRACE_XRAY_HIDING_H
#define TRAWL_TRACE_XRAY_HIDING_H

#include "trace/xray/latency.h"
#include "trace/xray/match.h"

// Says which functions are hidden. May be called by several threads at once.
struct xray_hider {
    void *self;
    bool (*hides)(void *self, uint32_t function);
};

// Initialize with zeros except for the hider. Free with xray_hiding_free.
struct xray_hiding {
    const struct xray_hider *hider; // NULL: nothing is hidden
    struct latency_table answers;   // for functions: max is 1 if hidden, 2 if not
    size_t outer;                   // depth in the outermost open hidden call; 0: none is open
    uint64_t since;                 // its entry time
    uint64_t ticks;                 // in hidden calls of the thread
    uint64_t all_ticks, all_calls;  // of all threads, of the outermost hidden calls that ended
    bool was_after_exit;            // xray_match.is_after_exit before the outermost hidden call
    bool is_shared; // calls that end now are counted in another log (xray_log_share)
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

// The time without the time in hidden calls.
static inline uint64_t xray_hiding_time(const struct xray_hiding *hiding, uint64_t tsc)
{
    return tsc - hiding->ticks;
}

// The duration of a call that was entered at time `entered` (by xray_hiding_time) and is left at
// `tsc`. Clocks of processors may disagree, so either may be the earlier one, and such a time may
// be below 0.
static inline uint64_t xray_hiding_ticks(const struct xray_hiding *hiding, uint64_t entered,
                                         uint64_t tsc)
{
    if (!hiding->hider)
        return xray_ticks_between(entered, tsc);
    uint64_t ticks = xray_hiding_time(hiding, tsc) - entered;
    return ticks >> 63 ? 0 - ticks : ticks;
}

// Whether a call that is about to be entered is hidden. If there is no memory for the answer,
// answers.lacks_memory is set.
bool xray_hiding_enter(struct xray_hiding *hiding, const struct xray_match *match,
                       uint32_t function, uint64_t tsc);

// Whether the call that was just left is hidden.
bool xray_hiding_leave(struct xray_hiding *hiding, struct xray_match *match, uint64_t tsc);

#endif
