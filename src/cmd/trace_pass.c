#include "cmd/trace_pass.h"

#include "cmd/option_rows.h"
#include "cmd/trace_listener.h"
#include "session/session_index.h"
#include "session/tasks.h"
#include "trace/unknown_format.h"
#include "trace/unknown_text.h"

#include <unistd.h>

// --- What the trace is ---------------------------------------------------------------------------

enum meter command_meter(const struct command *command)
{
    if (command->spec->host)
        return METER_OFF;
    if (command->session.reading == READING_TRUE)
        return progress_meter_for(stderr, command->quiet);
    bool is_shown = command->show_progress || (!command->quiet && isatty(STDOUT_FILENO));
    return is_shown ? METER_TTU : METER_OFF;
}

enum status command_open_trace(struct command *command, struct error *err)
{
    struct session *session = &command->session;
    session->listener = command_listener(command);
    session->progress = &command->progress;
    session->meter = command_meter(command);
    return session_open_trace(session, err);
}

// Refuses a file whose first bytes show that it is of no kind of trace.
static enum status check_foreign(const struct command *command, struct error *err)
{
    char head[UNKNOWN_TEXT_BYTES];
    size_t have;
    if (command->session.trace->kind->is || command->takes_index)
        return STATUS_OK;
    enum status status = source_peek(command->session.trace->source, head, sizeof head, &have, err);
    if (status != STATUS_OK)
        return status;
    const char *kind = unknown_format_of(head, have);
    kind = kind ? kind : unknown_text_binary(head, have);
    kind = kind ? kind : unknown_text_architecture(head, have);
    return kind ? error_set(err, STATUS_INPUT, "%s: %s", command->session.path, kind) : status;
}

static enum status check_kind(const struct command *command, struct error *err)
{
    const struct trace_kind *kind = command->session.trace->kind;
    const char *lacking = trace_lacks(kind, command->needs);
    if (lacking)
        return error_set(err, STATUS_INPUT, "%s: %s has no %s, which 'trawl %s' needs",
                         command->session.path, kind->words.a, lacking, command->spec->name);
    return check_foreign(command, err);
}

bool command_detect(struct command *command)
{
    struct error err;
    bool is_tried = command->session.trace || command->session.trace_error.status != STATUS_OK;
    if (command->session.reading == READING_TTU || !command->session.path || is_tried)
        return true;
    enum status opened = command_open_trace(command, &command->session.trace_error);
    if (opened == STATUS_MEMORY)
        return command_fail(command, &command->session.trace_error);

    if (opened != STATUS_OK) // reported when it is needed
        return true;
    if (check_kind(command, &err) == STATUS_OK)
        return command->takes_index || option_needs_check(command);
    return command_fail(command, &err);
}

bool command_make_ready(struct command *command)
{
    struct error err;
    return session_make_ready(&command->session, &err) == STATUS_OK || command_fail(command, &err);
}

// --- Images --------------------------------------------------------------------------------------

bool command_open_images(struct command *command)
{
    struct error err;
    struct session *session = &command->session;
    if (!command_detect(command))
        return false;
    session->name_options.with_offsets = !command->no_offsets || command->root_only_lacks_offset;
    enum status result = session_open_images(session, &err);
    if (session->reading == READING_TTU && session->names.ttu_symbols &&
        session->byte_order != TRACE_ORDER_UNKNOWN &&
        session->names.is_big_endian != (session->byte_order == TRACE_BIG_ENDIAN))
        fprintf(stderr, "Endianness mismatch between image and provided endianness\n");
    return result == STATUS_OK || command_fail(command, &err);
}

bool instruction_counts_add(struct command *command, struct pc_counts *counts)
{
    const struct session *session = &command->session;
    const struct call_range range = session->filter.range;
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL; // of calls
    request.options.counted = &range;
    if (!command_request(command, &request))
        return false;
    for (size_t i = 0; i < session->result.lane_count; i++) {
        const struct lane_result *lane = &session->result.lanes[i];
        if (filter_takes_lane(&session->filter, lane->name) &&
            !pc_counts_add_all(counts, &lane->pcs))
            return command_no_memory(command);
    }
    return true;
}

// To the reference, anything that is not a file is empty.
static bool nothing_read(struct command *command)
{
    struct error err;
    if (command_meter(command) == METER_TTU)
        fputs("\rReading trace file (finished)\n", stderr);
    session_no_events(&command->session, &err);
    return command_fail(command, &err);
}

bool command_ensure_open(struct command *command)
{
    struct session *session = &command->session;
    struct error err;
    if (!command_detect(command))
        return false;
    enum status result = session->trace ? STATUS_OK : command_open_trace(command, &err);
    if (result == STATUS_OK)
        return command_make_ready(command);
    // The reference opens a directory and finds it empty.
    return result == STATUS_INPUT && session->reading == READING_TTU ? nothing_read(command)
                                                                     : command_fail(command, &err);
}

// A trace that is read twice must be a file. Its text is then available for the second pass, which
// reads parts in any order.
static bool has_to_be_file(struct command *command)
{
    const struct session *session = &command->session;
    struct error err;
    if (source_is_file(session->trace->source))
        return !session->needs_trace || source_lay_out(session->trace->source, &err) == STATUS_OK ||
               command_fail(command, &err);
    return session->reading == READING_TTU
               ? nothing_read(command)
               : command_fail_with(command, STATUS_INPUT, "%s: is read twice, so it must be a file",
                                   session->path);
}

static enum status close_debug(struct command *command, enum status result, struct error *err)
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
        status = session_index(session, INDEX_FOR_ANSWERS, err);
        if (status == STATUS_OK && names_tasks)
            status = session_name_tasks_of_view(session, err);
    } while (session_forsake_view(session, status));
    pass_result_free(&session->result); // from building it
    source_rewind(session->trace->source);
    return status;
}

bool command_view(struct command *command)
{
    struct error err;
    return command_ensure_open(command) && has_to_be_file(command) &&
           command_passed(command, open_view(&command->session, false, &err), &err);
}

// Prepares for a pass of the session.
static bool begin_pass(struct command *command)
{
    struct session *session = &command->session;
    struct error err;
    bool is_read_twice = session->needs_trace || session->task_expression;
    if (!command_ensure_open(command) || (is_read_twice && !has_to_be_file(command)))
        return false;
    // Names by a known kernel are worth an index, but the report can do without.
    const bool wants_names = command->shows_tasks || session->filter.task;
    const struct os_system *system;
    if (session->os && session_find_os(session, &system, &err) != STATUS_OK)
        return command_fail(command, &err);
    session->has_kernel = wants_names && session->splits_by_task && !session->task_expression &&
                          source_is_file(session->trace->source) && session_has_kernel(session) &&
                          open_view(session, true, &err) == STATUS_OK;
    enum status result = STATUS_OK;
    if (command->debug_calls) // reports on transfers go to standard output
        result = out_open_fd(&command->debug, STDOUT_FILENO, "standard output", &err);
    session->ends_when_asked = session->reading == READING_TRUE && !command->spec->host;
    fflush(stdout);
    if (result == STATUS_OK && session->task_expression &&
        (result = open_view(session, true, &err)) != STATUS_OK)
        result = close_debug(command, result, &err);
    return result == STATUS_OK || command_passed(command, result, &err);
}

// Ends it. With --only-index, the command ends, too.
static bool end_pass(struct command *command, enum status result, struct error *err)
{
    const struct index_policy *index = &command->session.index;
    if (!command_passed(command, close_debug(command, result, err), err))
        return false;
    if (index->use != INDEX_ONLY || index->is_purpose)
        return true;
    command->status = command_sum_up(command);
    return false;
}

bool command_request(struct command *command, const struct pass_request *request)
{
    struct session *session = &command->session;
    struct error err;
    if (!begin_pass(command))
        return false;
    enum status result = session_pass(session, request, &err);
    if (result == STATUS_OK && session->splits_by_task)
        result = session_name_tasks(session, &err);
    return end_pass(command, result, &err);
}

bool command_pass(struct command *command, const struct call_consumer *consumer,
                  const struct watch_list *watch)
{
    const struct pass_request request = session_calls(&command->session, consumer, watch);
    return command_request(command, &request);
}

bool command_profile(struct command *command, struct profile *profile)
{
    struct lane_profile into = {command->session.filter.lane, profile};
    const struct pass_request request = session_profile(&command->session, &into);
    return command_request(command, &request);
}

bool command_stream(struct command *command, const struct call_sink *sink)
{
    struct error err;
    // Output on a terminal would mix with the meter.
    if (command->session.trace && !command->output && isatty(STDOUT_FILENO))
        command->session.trace->meter = METER_OFF;
    return begin_pass(command) &&
           end_pass(command, session_stream_calls(&command->session, sink, &err), &err);
}

enum status command_pass_again(struct command *command, const struct segment_consumer *segments,
                               struct error *err)
{
    enum status status = session_pass_again(&command->session, segments, err);
    progress_end(&command->progress);
    return status;
}
