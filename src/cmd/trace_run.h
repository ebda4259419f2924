// Running a pass over an open trace: what is said of it, and what is made of how it ended.
#ifndef TRAWL_CMD_TRACE_RUN_H
#define TRAWL_CMD_TRACE_RUN_H

#include "analysis/indexing.h"
#include "cmd/trace_command.h"

// What a pass is run into, and how.
struct trace_request {
    void *self;
    enum status (*run)(void *self, struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);
    struct pass_options options;
};

// What a pass is made of: the observer, whose receiver is `command`; options for a report, or for
// the index; and a pass over the open trace itself, which builds the index if `how` says so. False:
// reported, *status is what to end with.
struct pass_observer trace_command_observer(struct trace_command *command);
struct pass_options trace_command_pass_options(const struct trace_command *command,
                                               const struct call_consumer *consumer,
                                               const struct watch_list *watch);
bool trace_command_run(struct trace_command *command, const struct trace_request *request,
                       const struct indexing_options *how, enum exit_status *status);

// Calls into options.consumer: the plainest request.
struct trace_request trace_command_calls(const struct trace_command *command,
                                         const struct call_consumer *consumer,
                                         const struct watch_list *watch);

// Judges what a pass, or an index in its stead, ended with: as trace_command_run does.
bool trace_command_judge(struct trace_command *command, enum status result, struct error *err,
                         enum exit_status *status);

// Says that the trace has no events; returns the status to end with.
enum exit_status trace_command_no_events(struct trace_command *command);

#endif
