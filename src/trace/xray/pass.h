// A pass over an XRay log: its threads in parallel, each matched into calls (lane.h). Fills the
// same result as any pass (flow/pass.h), so that reports need not know the kind: lanes are threads,
// nodes and events are function records, PCs are function ids (flow/function_id.h), lines are byte
// offsets.
//
// Also the internal header of what is made in such passes, each in a file of its own whose head
// says how.
#ifndef TRAWL_TRACE_XRAY_PASS_H
#define TRAWL_TRACE_XRAY_PASS_H

#include "flow/call_sink.h"
#include "flow/context_tree.h"
#include "flow/pass.h"
#include "flow/profile.h"
#include "idx/trawl.h"
#include "trace/trace.h"
#include "trace/xray/lane.h"

struct parts_writer;

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
    uint64_t *buffer_events; // the first event of each buffer
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

// --- Calling contexts (contexts.c) ---------------------------------------------------------------

// Runs the pass into `tree`, with the range of the pass. The `calls` of each lane in the result are
// intended for context_tree_root.
enum status xray_contexts_run(struct xray_pass *pass, struct context_tree *tree,
                              struct pass_result *result, struct error *err);

// --- The profile (profile.c) ---------------------------------------------------------------------

// Runs the pass into `profile`, for the lane called `lane`, or for all if that is NULL. The time of
// threads outside of all calls is in the row of FUNCTION_PC_OUTSIDE. Free with profile_free in any
// case.
enum status xray_profile_run(struct xray_pass *pass, const char *lane, struct profile *profile,
                             struct pass_result *result, struct error *err);

// --- The index (segments.c) ----------------------------------------------------------------------

// The pass that makes an index: passes function records to pass->segments, as its events, and sets
// the fields after the pass.
enum status xray_segments_run(struct xray_pass *pass, struct pass_result *result,
                              struct error *err);

// --- SECTION_XRAY of an index (section.c) --------------------------------------------------------

// Writes the section, after a pass that made segments. False: no memory.
bool xray_section_write(const struct xray_pass *pass, struct parts_writer *parts);

// Reads what the index of a log of `lane_count` lanes says about each lane besides its events
// (arguments, decreasing times ...), and about the log's damage.
enum status xray_section_read(struct trawl_index *index, size_t lane_count,
                              struct xray_lane_counts *lanes, struct trace_damage *damage,
                              struct error *err);

// Checks that all rows of events can be read, so that a pass does not fail in the middle of them.
enum status xray_section_check_rows(struct trawl_index *index, struct error *err);

// --- Calls as they are read (stream.c) -----------------------------------------------------------

// Where a lane is relative to the requested range. Times and events never decrease.
enum xray_range_state { XRAY_RANGE_BEFORE, XRAY_RANGE_IN, XRAY_RANGE_AFTER };

struct xray_call_stream {
    const struct call_sink *sink;
    const struct call_range *range;
    const struct xray_log *log;
    const struct pass_result *result; // for the names of lanes
    const char *lane;                 // NULL: all
    bool is_stopped;                  // by the sink
    enum xray_range_state state;      // of the current lane
};

// A walk (trace/xray/pass.h) by one worker, with a struct xray_call_stream. After the sink stopped,
// lanes are skipped.
bool xray_stream_lane(void *stream, unsigned worker, struct xray_lane *lane, size_t number);

// --- Open calls at a point (lane_stacks.c) -------------------------------------------------------

// The buffer that contains a byte. False: none.
bool xray_find_buffer(const struct xray_log *log, uint64_t byte, uint64_t *number);

// Functions of struct trace_lane_stacks.
void xray_find_byte(const struct xray_log *log, uint64_t byte, struct lane_point *point);
void xray_find_entry(const struct xray_log *log, uint64_t pc, uint64_t *visit,
                     struct lane_point *point);

struct xray_stacks_at {
    const struct lane_point *point;
    struct lane_stack *stacks; // one for each thread
};

// A walk (trace/xray/pass.h) with a struct xray_stacks_at.
bool xray_stacks_at_walk(void *stacks, unsigned worker, struct xray_lane *lane, size_t number);

#endif
