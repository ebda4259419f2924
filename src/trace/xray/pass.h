// One pass over an XRay log: its threads in parallel, each matched into calls (lane.h). Fills what
// any pass fills (flow/pass.h), so that reports need not know: lanes are threads, nodes and events
// are function records, PCs are function ids (flow/function_id.h), lines are byte offsets.
#ifndef TRAWL_TRACE_XRAY_PASS_H
#define TRAWL_TRACE_XRAY_PASS_H

#include "base/spool.h"
#include "flow/pass.h"
#include "trace/xray/lane.h"

struct xray_pass {
    const struct xray_log *log;
    unsigned threads;
    struct call_range range;
    struct watch_list watch; // PCs of entries
    bool returned_only;      // calls that are open at the end count for what is around them
    // Of xray_segments_run: who takes the function records as events of an index.
    struct segment_consumer segments;
    // The log's index, from which its function records are read instead; NULL: from the log. Then
    // `known` has of each lane what the index says about other records, and `damage` that of the
    // log.
    struct trawl_index *index;
    const struct xray_lane_counts *known;
    // After the pass.
    struct xray_lane_counts *counts; // of each lane, and after them the sums
    struct trace_damage damage;      // of the whole log
    struct pass_result *result;
    // Likewise of xray_segments_run:
    uint64_t *buffer_events;   // the first event of each buffer
    struct spool call_lengths; // see calls.h
};

// How one thread is walked: `worker` is below pass->threads. False: no memory.
typedef bool xray_walk(void *self, unsigned worker, struct xray_lane *lane, size_t number);

// Walks every thread and fills `result` and what is after the pass; `range` decides which event's
// times are known. Threads are walked in parallel, by `walk`.
enum status xray_pass_run(struct xray_pass *pass, struct pass_result *result, void *self,
                          xray_walk *walk, struct error *err);

// The same with the calls going to a consumer, thread by thread: those that are open at the end as
// well, marked so, as their entries are no guess, and exits that close nothing (call.has_no_entry).
// Calls begin and end at function records: `site` is `entry`, and `resume` is `exit`. Visits to
// watched functions are kept. A consumer without `fold` lets threads be walked in parallel.
enum status xray_pass_run_calls(struct xray_pass *pass, const struct call_consumer *consumer,
                                struct pass_result *result, struct error *err);

// Private to the passes: begins the lanes' results (false: no memory), takes over what a lane has
// come to when all its records are taken, and fills what is after the pass.
bool xray_pass_begin_lanes(struct xray_pass *pass, struct pass_result *result);
void xray_pass_end_lane(struct xray_pass *pass, const struct xray_lane *lane, size_t number);
void xray_pass_sum_up(struct xray_pass *pass, struct pass_result *result);

// Fills what is after the pass, and the lanes' counts of `result`, with what pass->index says
// without its rows.
enum status xray_pass_recall(struct xray_pass *pass, struct pass_result *result, struct error *err);

void xray_pass_free(struct xray_pass *pass);

#endif
