// How long the calls of XRay logs took, by function and by caller and callee.
//
// Threads do not depend on each other. A thread is cut into pieces of whole buffers that are
// matched in parallel, each as if the stack was empty before it; exits that reach below that, and
// calls that are open after it, are matched in order afterwards. Only an exit of the function on
// top of the stack ends a call; another one is counted as unmatched, and changes nothing unless
// `deduce` is set.
#ifndef TRAWL_TRACE_XRAY_ACCOUNT_H
#define TRAWL_TRACE_XRAY_ACCOUNT_H

#include "trace/xray/hiding.h"
#include "trace/xray/latency.h"
#include "trace/xray/record.h"

struct xray_account_options {
    unsigned threads;    // at least 1
    bool deduce;         // an exit of a function further down ends all calls above it too
    bool recursive_only; // only calls while their function is, or was, on the stack twice
    bool by_edge;        // fill `edges`
    bool percentiles;    // fill those of the rows
    const struct xray_hider *hider; // NULL: no calls are left out
};

// All zero is empty.
struct xray_account {
    struct latency_table functions; // by id, in ascending order
    struct latency_table edges;     // by xray_edge_key, in ascending order
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage *damage;         // inside the buffers of each log
};

// Of a call; caller 0 is none: nothing is below the callee on the stack.
static inline uint64_t xray_edge_key(uint32_t caller, uint32_t callee)
{
    return (uint64_t)caller << 32 | callee;
}

// Adds up the calls of some logs, whose ticks are of one length. Fails only when there is no
// memory. In any case freed by xray_account_free.
enum status xray_account_run(const struct xray_log *const *logs, size_t log_count,
                             const struct xray_account_options *options,
                             struct xray_account *account, struct error *err);

void xray_account_free(struct xray_account *account);

#endif
