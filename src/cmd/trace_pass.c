#include "cmd/trace_pass.h"

#include "cmd/trace_index.h"
#include "cmd/trace_open.h"

#include <unistd.h>

// The reference finds what is no file empty.
static enum exit_status nothing_read(struct trace_command *command)
{
    if (trace_command_meter(command) == METER_TTU)
        fputs("\rReading trace file (finished)\n", stderr);
    return trace_command_no_events(command);
}

// Opens the trace for a pass. False: reported, *status is what to end with.
static bool open_for_pass(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    if (command->opened)
        return trace_command_make_ready(command, status);
    enum status result = trace_command_open_trace(command, &err);
    if (result == STATUS_OK)
        return trace_command_make_ready(command, status);
    // A directory the reference opens and finds empty.
    *status = result == STATUS_INPUT && command->reading == READING_TTU
                  ? nothing_read(command)
                  : trace_command_error(command, &err);
    return false;
}

// A trace that is read twice has to be a file. False: it is none, and that is told.
static bool can_read_twice(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!command->reads_twice || source_is_mapped(command->opened->source))
        return true;
    if (command->reading == READING_TTU) {
        *status = nothing_read(command);
        return false;
    }
    error_set(&err, STATUS_INPUT, "%s: is read twice, so it has to be a file", command->trace);
    *status = trace_command_error(command, &err);
    return false;
}

// Runs a request over the trace itself, or over its index where it was decided before.
static bool run_request(struct trace_command *command, const struct trace_request *request,
                        enum exit_status *status)
{
    if (!trace_command_run(command, request, NULL, status))
        return false;
    if (command->index_use != INDEX_ONLY || command->is_indexing)
        return true;
    *status = trace_command_sum_up(command); // --only-index --memory-index
    return false;
}

bool trace_command_request(struct trace_command *command, const struct trace_request *request,
                           enum exit_status *status)
{
    if (!open_for_pass(command, status) || !can_read_twice(command, status))
        return false;
    if (!command->is_decided) {
        command->is_decided = true;
        enum trace_index_outcome outcome = trace_index_use(command, request, status);
        if (outcome != TRACE_INDEX_UNUSED)
            return outcome == TRACE_INDEX_USED;
    }
    return run_request(command, request, status);
}

bool trace_command_pass(struct trace_command *command, const struct call_consumer *consumer,
                        const struct watch_list *watch, enum exit_status *status)
{
    const struct trace_request request = trace_command_calls(command, consumer, watch);
    return trace_command_request(command, &request, status);
}

static enum status run_contexts(void *self, struct trace *trace, const struct pass_options *options,
                                const struct pass_observer *observer, struct pass_result *result,
                                struct error *err)
{
    (void)observer;
    return trace->kind->contexts(trace, options, self, result, err);
}

bool trace_command_contexts(struct trace_command *command, struct context_tree *tree,
                            enum exit_status *status)
{
    const struct call_consumer consumer = context_tree_consumer(tree);
    if (!open_for_pass(command, status))
        return false;
    struct trace_request request = trace_command_calls(command, &consumer, NULL);
    if (command->opened->kind->contexts) {
        request.self = tree;
        request.run = run_contexts;
    }
    return trace_command_request(command, &request, status);
}

struct profile_request {
    const char *lane;
    struct profile *profile;
};

static enum status run_profile(void *self, struct trace *trace, const struct pass_options *options,
                               const struct pass_observer *observer, struct pass_result *result,
                               struct error *err)
{
    const struct profile_request *request = self;
    (void)observer;
    return trace->kind->profile(trace, options, request->lane, request->profile, result, err);
}

bool trace_command_profile(struct trace_command *command, struct profile *profile,
                           enum exit_status *status)
{
    struct profile_request into = {command->lane, profile};
    const struct trace_request request = {&into, run_profile,
                                          trace_command_pass_options(command, NULL, NULL)};
    return trace_command_request(command, &request, status);
}

enum status trace_command_pass_again(struct trace_command *command,
                                     const struct segment_consumer *segments, struct error *err)
{
    struct pass_result result;
    struct pass_options options = trace_command_pass_options(command, NULL, NULL);
    const struct pass_observer observer = {.self = command,
                                           .advanced = trace_command_observer(command).advanced};
    struct trace *trace = command->opened;
    options.segments = *segments;
    source_rewind(trace->source);
    trace_forget_index(trace);
    trace->meter = command->reading == READING_RIGHT ? trace->meter : METER_OFF;
    enum status status = trace->kind->run(trace, &options, &observer, &result, err);
    progress_end(&command->progress);
    for (int i = 0; i < STAGE_COUNT; i++)
        command->result.stage_ns[i] += result.stage_ns[i];
    command->result.wall_ns += result.wall_ns;
    pass_result_free(&result);
    return status;
}
