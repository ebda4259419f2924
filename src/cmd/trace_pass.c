#include "cmd/trace_pass.h"

#include "cmd/trace_listener.h"
#include "cmd/trace_open.h"
#include "session/question.h"
#include "session/tasks.h"

#include <unistd.h>

// To the reference, anything that is not a file is empty.
static enum exit_status nothing_read(struct trace_command *command)
{
    struct error err;
    if (trace_command_meter(command) == METER_TTU)
        fputs("\rReading trace file (finished)\n", stderr);
    session_no_events(&command->session, &err);
    return trace_command_error(command, &err);
}

bool trace_command_is_open(struct trace_command *command, enum exit_status *status)
{
    struct session *session = &command->session;
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    if (session->trace)
        return trace_command_make_ready(command, status);
    enum status result = trace_command_open_trace(command, &err);
    if (result == STATUS_OK)
        return trace_command_make_ready(command, status);
    // The reference opens a directory and finds it empty.
    *status = result == STATUS_INPUT && session->reading == READING_TTU
                  ? nothing_read(command)
                  : trace_command_error(command, &err);
    return false;
}

// Makes the text available, of which a second pass reads parts in any order.
static bool lay_out(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!command->session.needs_trace ||
        source_lay_out(command->session.trace->source, &err) == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

// A trace that is read twice must be a file. False: it is not, which is reported.
static bool has_to_be_file(struct trace_command *command, enum exit_status *status)
{
    const struct session *session = &command->session;
    struct error err;
    if (source_is_file(session->trace->source))
        return lay_out(command, status);
    if (session->reading == READING_TTU) {
        *status = nothing_read(command);
        return false;
    }
    error_set(&err, STATUS_INPUT, "%s: is read twice, so it must be a file", session->path);
    *status = trace_command_error(command, &err);
    return false;
}

static bool can_read_twice(struct trace_command *command, enum exit_status *status)
{
    const struct session *session = &command->session;
    bool is_read_twice = session->needs_trace || session->task_expression;
    return !is_read_twice || has_to_be_file(command, status);
}

// Reports on transfers go to standard output.
static enum status open_debug(struct trace_command *command, struct error *err)
{
    if (!command->debug_calls)
        return STATUS_OK;
    return out_open_fd(&command->debug, STDOUT_FILENO, "standard output", err);
}

static enum status close_debug(struct trace_command *command, enum status result, struct error *err)
{
    struct error failure;
    if (!command->debug_calls || out_close(&command->debug, &failure) == STATUS_OK ||
        result != STATUS_OK)
        return result;
    *err = failure;
    return err->status;
}

// Opens the index for what only it has; before the pass, because building an index overwrites the
// result.
static enum status open_view(struct session *session, bool names_tasks, struct error *err)
{
    enum status status;
    do {
        status = session_open_view(session, err);
        if (status == STATUS_OK && names_tasks)
            status = session_name_tasks_of_view(session, err);
    } while (session_forsake_view(session, status));
    pass_result_free(&session->result); // from building it
    source_rewind(session->trace->source);
    return status;
}

bool trace_command_view(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    return trace_command_is_open(command, status) && has_to_be_file(command, status) &&
           trace_command_passed(command, open_view(&command->session, false, &err), &err, status);
}

static enum status name_tasks_by_index(struct session *session, struct error *err)
{
    return session->task_expression ? open_view(session, true, err) : STATUS_OK;
}

static enum status run_named(struct session *session,
                             enum status (*run)(struct session *session, void *what,
                                                struct error *err),
                             void *what, struct error *err)
{
    enum status status = name_tasks_by_index(session, err);
    return status == STATUS_OK ? run(session, what, err) : status;
}

// Names tasks after a pass; streamed ones already have names.
static enum status name_tasks(struct session *session, enum status status, struct error *err)
{
    return status == STATUS_OK && session->splits_by_task ? session_name_tasks(session, err)
                                                          : status;
}

// Makes a pass of the session by `run`.
static bool pass(struct trace_command *command,
                 enum status (*run)(struct session *session, void *what, struct error *err),
                 void *what, enum exit_status *status)
{
    const struct session_index *index = &command->session.index;
    struct error err;
    if (!trace_command_is_open(command, status) || !can_read_twice(command, status))
        return false;
    enum status result = open_debug(command, &err);
    command->session.ends_when_asked = command->session.reading == READING_RIGHT;
    fflush(stdout);
    if (result == STATUS_OK)
        result = close_debug(command, run_named(&command->session, run, what, &err), &err);
    if (!trace_command_passed(command, result, &err, status))
        return false;
    if (index->use != INDEX_ONLY || index->is_purpose)
        return true;
    *status = trace_command_sum_up(command);
    return false;
}

static enum status run_request(struct session *session, void *what, struct error *err)
{
    const struct pass_request *request = what;
    return name_tasks(session, session_pass(session, request, err), err);
}

bool trace_command_request(struct trace_command *command, const struct pass_request *request,
                           enum exit_status *status)
{
    struct pass_request copy = *request;
    return pass(command, run_request, &copy, status);
}

bool trace_command_pass(struct trace_command *command, const struct call_consumer *consumer,
                        const struct watch_list *watch, enum exit_status *status)
{
    const struct pass_request request = session_calls(&command->session, consumer, watch);
    return trace_command_request(command, &request, status);
}

static enum status run_contexts(struct session *session, void *tree, struct error *err)
{
    return name_tasks(session, session_contexts(session, tree, err), err);
}

bool trace_command_contexts(struct trace_command *command, struct context_tree *tree,
                            enum exit_status *status)
{
    return pass(command, run_contexts, tree, status);
}

static enum status run_profile(struct session *session, void *profile, struct error *err)
{
    return session_profile(session, profile, err);
}

bool trace_command_profile(struct trace_command *command, struct profile *profile,
                           enum exit_status *status)
{
    return pass(command, run_profile, profile, status);
}

static enum status run_stream(struct session *session, void *what, struct error *err)
{
    const struct call_sink *sink = what;
    return session_stream_calls(session, sink, err);
}

bool trace_command_stream(struct trace_command *command, const struct call_sink *sink,
                          enum exit_status *status)
{
    struct call_sink copy = *sink;
    // Output on a terminal would mix with the meter.
    if (command->session.trace && !command->output && isatty(STDOUT_FILENO))
        command->session.trace->meter = METER_OFF;
    return pass(command, run_stream, &copy, status);
}

enum status trace_command_pass_again(struct trace_command *command,
                                     const struct segment_consumer *segments, struct error *err)
{
    enum status status = session_pass_again(&command->session, segments, err);
    progress_end(&command->progress);
    return status;
}
