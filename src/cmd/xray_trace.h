// XRay logs as the traces of commands: a log is told from other traces by its first bytes.
#ifndef TRAWL_CMD_XRAY_TRACE_H
#define TRAWL_CMD_XRAY_TRACE_H

#include "analysis/context_tree.h"
#include "analysis/index_file.h"
#include "analysis/indexing.h"
#include "analysis/profile.h"
#include "cmd/trace_command.h"
#include "cmd/xray_meter.h"
#include "pipeline/xray_pass.h"

struct xray_trace {
    struct xray_log log;
    struct xray_pass pass;
    struct trawl_index *index;      // that is read in the log's stead; NULL: none is
    struct xray_lane_counts *known; // of its lanes
    struct trace_damage known_damage;
    struct xray_meter meter;
    bool is_decided; // about the index
    bool is_told;    // what is damaged
};

// Finds out whether the trace is an XRay log; if it is, and the command takes them, opens it as
// command->xray. Does nothing a second time, nor under the tarmac-* names. A trace that cannot be
// opened is left for others to tell. False: reported, *status is what to end with.
bool xray_trace_open(struct trace_command *command, enum exit_status *status);

// As trace_command_pass, for a log that is open.
bool xray_trace_pass(struct trace_command *command, const struct call_consumer *consumer,
                     const struct watch_list *watch, enum exit_status *status);

// The same into a calling context tree.
bool xray_trace_contexts(struct trace_command *command, struct context_tree *tree,
                         enum exit_status *status);

// The same with a walk of one's own, by so many workers; one takes the log's threads in their
// order.
bool xray_trace_walk(struct trace_command *command, unsigned workers, void *self, xray_walk *walk,
                     enum exit_status *status);

// Finds the log's index and judges it. STATUS_NOT_FOUND: it can have none, or none is wanted.
// `file` is freed by index_file_free either way.
enum status xray_trace_find_index(const struct trace_command *command, struct index_file *file,
                                  struct error *err);

// For a question about a point: opens an index that fits, as xray->index, and fills the result as
// far as that tells without its rows. Otherwise xray->index is NULL, and nothing is said.
void xray_trace_recall(struct trace_command *command);

// Ends such a question: as behind a pass. False: reported, *status is what to end with.
bool xray_trace_recalled(struct trace_command *command, enum exit_status *status);

// Closes the index, so that the log is read instead.
void xray_trace_forget(struct trace_command *command);

// The same into a profile, of the lanes that --lane lets through.
bool xray_trace_profile(struct trace_command *command, struct profile *profile,
                        enum exit_status *status);

// Says behind the report what could not be matched, and with -v what was found.
void xray_trace_sum_up(struct trace_command *command);

// A cell with the id of a function, empty for a thread's root.
void xray_table_id(struct table *table, uint64_t pc);

void xray_trace_free(struct trace_command *command);

// For cmd/trace_index.c: a fresh pass over the log, NULL if the trace is none; what reads the
// index, which the command owns from then on, in the log's stead; and what builds one. The latter
// returns false when it failed: reported, *status is what to end with.
struct xray_pass *xray_trace_begin_pass(struct trace_command *command,
                                        const struct watch_list *watch);
enum status xray_trace_read_index(struct trace_command *command, struct trawl_index *index,
                                  bool is_silent, struct error *err);
bool xray_trace_build_index(struct trace_command *command, const struct indexing_options *how,
                            enum exit_status *status);

#endif
