#include "cmd/trace_open.h"

#include "cmd/option_kinds.h"
#include "cmd/trace_listener.h"
#include "trace/foreign.h"
#include "trace/foreign_text.h"

#include <unistd.h>

// --- What the trace is ---------------------------------------------------------------------------

enum meter trace_command_meter(const struct trace_command *command)
{
    if (command->session.reading == READING_RIGHT)
        return progress_meter_for(stderr, command->quiet);
    bool is_shown = command->show_progress || (!command->quiet && isatty(STDOUT_FILENO));
    return is_shown ? METER_TTU : METER_OFF;
}

enum status trace_command_open_trace(struct trace_command *command, struct error *err)
{
    struct session *session = &command->session;
    session->listener = trace_command_listener(command);
    session->progress = &command->progress;
    session->meter = trace_command_meter(command);
    return session_open_trace(session, err);
}

// Refuses a file whose first bytes show that it is of no kind of trace.
static enum status check_foreign(const struct trace_command *command, struct error *err)
{
    char head[FOREIGN_TEXT_BYTES];
    size_t have;
    if (command->session.trace->kind->is || command->takes_index)
        return STATUS_OK;
    enum status status = source_peek(command->session.trace->source, head, sizeof head, &have, err);
    if (status != STATUS_OK)
        return status;
    const char *kind = foreign_kind(head, have);
    kind = kind ? kind : foreign_bytes(head, have);
    kind = kind ? kind : foreign_architecture(head, have);
    return kind ? error_set(err, STATUS_INPUT, "%s: %s", command->session.path, kind) : status;
}

static enum status check_kind(const struct trace_command *command, struct error *err)
{
    const struct trace_kind *kind = command->session.trace->kind;
    const char *lacking = trace_lacks(kind, command->needs);
    if (lacking)
        return error_set(err, STATUS_INPUT, "%s: %s has no %s, which 'trawl %s' needs",
                         command->session.path, kind->words.a, lacking, command->spec->name);
    return check_foreign(command, err);
}

bool trace_command_detect(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    bool is_tried = command->session.trace || command->session.trace_error.status != STATUS_OK;
    if (command->session.reading == READING_TTU || !command->session.path || is_tried)
        return true;
    enum status opened = trace_command_open_trace(command, &command->session.trace_error);
    if (opened == STATUS_MEMORY) {
        *status = trace_command_error(command, &command->session.trace_error);
        return false;
    }
    if (opened != STATUS_OK) // reported when it is needed
        return true;
    if (check_kind(command, &err) == STATUS_OK)
        return command->takes_index || option_kinds_check(command, status);
    *status = trace_command_error(command, &err);
    return false;
}

bool trace_command_make_ready(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (session_make_ready(&command->session, &err) == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

// --- Images --------------------------------------------------------------------------------------

// The reference has a message for this.
static bool has_other_byte_order(const struct session *session)
{
    if (session->reading == READING_RIGHT || !session->names.ttu_symbols)
        return false;
    return session->byte_order != TRACE_ORDER_UNKNOWN &&
           session->names.is_big_endian != (session->byte_order == TRACE_BIG_ENDIAN);
}

bool trace_command_open_images(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    command->session.name_options.with_offsets =
        !command->no_offsets || command->root_only_lacks_offset;
    enum status result = session_open_images(&command->session, &err);
    if (has_other_byte_order(&command->session))
        fprintf(stderr, "Endianness mismatch between image and provided endianness\n");
    if (result == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}
