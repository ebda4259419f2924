// Tables of events, registers and memory, as the trace is read.
#include "cmd/export.h"

#include "cmd/trace_pass.h"

#include <inttypes.h>

// Whether the kind of trace has events line by line, from which these tables are made.
static bool has_rows(struct command *command, enum exit_status *status)
{
    const struct trace *trace = command->session.trace;
    struct error err;
    if (trace_can(trace, TRACE_INSTRUCTIONS) && trace->kind->registers)
        return true;
    error_set(&err, STATUS_INPUT, "%s: is %s, which has only --table calls", command->session.path,
              trace->kind->words.a);
    command_error(command, &err);
    *status = EXIT_STATUS_USAGE;
    return false;
}

static void tell_late(struct command *command, uint64_t count)
{
    if (count)
        diag_warning(&command->diag,
                     "%s: %" PRIu64 " instruction%s joined an event of %d events before: the rows "
                     "of these events do not include them",
                     command->session.path, count, plural(count), EVENT_TABLE_SEGMENT_EVENTS);
}

static bool fill(struct command *command, struct event_table *rows, enum exit_status *status)
{
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL;
    request.options.segments = event_table_consumer(rows);
    if (!command_request(command, &request, status))
        return false;
    tell_late(command, rows->late_count);
    return command_has_shown(command, rows->has_rows, status);
}

static enum exit_status write_table(struct command *command, enum event_table_kind kind,
                                    const struct image_places *images)
{
    const struct session *session = &command->session;
    struct out out;
    struct table table;
    size_t column_count;
    enum exit_status status = EXIT_STATUS_FAILED;
    const struct column *columns = event_table_columns(kind, images, &column_count);
    const struct event_table_options options = {kind,
                                                session->filter.range,
                                                session->filter.lane,
                                                session->trace->kind->registers,
                                                &command->session.names,
                                                images};
    if (!command_output(command, &out, &status) ||
        !command_table(command, &table, &out, columns, column_count, &status))
        return status;
    struct event_table *rows = event_table_new(&options, &table);
    bool is_done = rows && fill(command, rows, &status);
    if (!rows)
        status = command_no_memory(command);
    event_table_free(rows);
    table_end(&table);
    if (is_done)
        return command_end(command, &out);
    out_abandon(&out);
    return status;
}

enum exit_status export_event_table(struct command *command, enum event_table_kind kind)
{
    enum exit_status status = EXIT_STATUS_FAILED;
    command->session.index.in_memory = true; // no index is read: it does not have these rows
    if (!command_open_images(command, &status) || !command_is_open(command, &status) ||
        !has_rows(command, &status))
        return status;
    if (command->table_format != TABLE_PARQUET)
        return write_table(command, kind, NULL);
    struct image_places images;
    status = image_places_init(&images, &command->session.names.images)
                 ? write_table(command, kind, &images)
                 : command_no_memory(command);
    image_places_free(&images);
    return status;
}
