// The passes of reports: over the trace, or from its index where that is to be read.
#ifndef TRAWL_CMD_TRACE_PASS_H
#define TRAWL_CMD_TRACE_PASS_H

#include "cmd/trace_run.h"
#include "flow/profile.h"

// Runs a pass over the trace, or from its index: result and names are filled. On failure the
// message is out, and *status is what to end with; false then. Calls go to a consumer (NULL: none),
// visits are of watched addresses (NULL: none);
bool trace_command_pass(struct trace_command *command, const struct call_consumer *consumer,
                        const struct watch_list *watch, enum exit_status *status);

// into a calling context tree; into a profile, of the lanes that --lane lets through, by kinds that
// have a way of their own (trace_kind.profile);
bool trace_command_contexts(struct trace_command *command, struct context_tree *tree,
                            enum exit_status *status);
bool trace_command_profile(struct trace_command *command, struct profile *profile,
                           enum exit_status *status);

// or as the caller likes.
bool trace_command_request(struct trace_command *command, const struct trace_request *request,
                           enum exit_status *status);

// Goes over the trace once more for those who take segments; what the first pass said is not said
// again. Its times are added to the result's. STATUS_INPUT also when the trace was changed since
// the first pass began.
enum status trace_command_pass_again(struct trace_command *command,
                                     const struct segment_consumer *segments, struct error *err);

#endif
