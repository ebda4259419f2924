// A pass over an XRay log: its threads in parallel, each matched into calls (lane.h). Fills the
// same result as any pass (flow/pass.h), so that reports need not know the kind: lanes are threads,
// nodes and events are function records, PCs are function ids (flow/function_id.h), lines are byte
// offsets.
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
    bool returned_only;      // calls that are open at the end count for the calls around them
    // For xray_segments_run: receives the function records as events of an index.
    struct segment_consumer segments;
    // The log's index, from which function records are read; NULL: they are read from the log. With
    // an index, `known` has what it says about other records of each lane, and `damage` is that of
    // the log.
    struct trawl_index *index;
    const struct xray_lane_counts *known;
    // Set by the pass.
    struct xray_lane_counts *counts; // one for each lane, followed by the sums
    struct trace_damage damage;      // of the whole log
    struct pass_result *result;
    // Set by xray_segments_run:
    uint64_t *buffer_events;   // the first event of each buffer
    struct spool call_lengths; // see calls.h
};

// Walks one thread; `worker` is below pass->threads. False: no memory.
typedef bool xray_walk(void *self, unsigned worker, struct xray_lane *lane, size_t number);

// Walks every thread and sets `result` and the fields after the pass; `range` determines the events
// whose times are found. Threads are walked in parallel, by `walk`.
enum status xray_pass_run(struct xray_pass *pass, struct pass_result *result, void *self,
                          xray_walk *walk, struct error *err);

// The same, passing calls to a consumer, thread by thread. This includes calls that are open at the
// end, marked as such, because their entries are certain, and exits that close nothing
// (call.has_no_entry). Calls begin and end at function records: `site` is `entry`, and `resume` is
// `exit`. Visits to watched functions are recorded. If the consumer has no `fold`, threads are
// walked in parallel.
enum status xray_pass_run_calls(struct xray_pass *pass, const struct call_consumer *consumer,
                                struct pass_result *result, struct error *err);

// Private to the passes: begin the lanes' results (false: no memory), store the results of a lane
// after all its records, and set the fields after the pass.
bool xray_pass_begin_lanes(struct xray_pass *pass, struct pass_result *result);
void xray_pass_end_lane(struct xray_pass *pass, const struct xray_lane *lane, size_t number);
void xray_pass_sum_up(struct xray_pass *pass, struct pass_result *result);

// Sets the fields after the pass, and the lanes' counts of `result`, from pass->index without
// reading its rows.
enum status xray_pass_recall(struct xray_pass *pass, struct pass_result *result, struct error *err);

void xray_pass_free(struct xray_pass *pass);

#endif
