// How long the calls of XRay logs took, by function, and by caller and callee.
//
// Threads are independent of each other. A thread is cut into pieces of whole buffers, which are
// matched in parallel, each as if the stack were empty before it. Exits of earlier calls, and calls
// that are open at the end of a piece, are matched in order afterwards. Only an exit of the
// function on top of the stack ends a call; any other exit is counted as unmatched, and has no
// effect unless `deduce` is set.
#ifndef TRAWL_TRACE_XRAY_ACCOUNT_H
#define TRAWL_TRACE_XRAY_ACCOUNT_H

#include "trace/xray/hiding.h"
#include "trace/xray/latency.h"
#include "trace/xray/record.h"

struct xray_account_options {
    unsigned threads;    // at least 1
    bool deduce;         // an exit of a function further down also ends all calls above it
    bool recursive_only; // only calls in nests with their function on the stack twice
    bool by_edge;        // fill `edges`
    bool percentiles;    // fill the percentiles of the rows
    const struct xray_hider *hider; // NULL: no calls are hidden
};

// All zero: empty.
struct xray_account {
    struct latency_table functions; // by id, in ascending order
    struct latency_table edges;     // by xray_edge_key, in ascending order
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage *damage;         // inside the buffers, for each log
};

// The key of an edge. Caller 0: nothing is below the callee on the stack.
static inline uint64_t xray_edge_key(uint32_t caller, uint32_t callee)
{
    return (uint64_t)caller << 32 | callee;
}

// Adds up the calls of several logs, whose ticks must have the same length. Fails only if there is
// no memory. Free with xray_account_free in any case.
enum status xray_account_run(const struct xray_log *const *logs, size_t log_count,
                             const struct xray_account_options *options,
                             struct xray_account *account, struct error *err);

void xray_account_free(struct xray_account *account);

#endif
