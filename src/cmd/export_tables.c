// Tables of events, registers and memory, as the trace is read.
#include "cmd/export.h"

#include "cmd/trace_pass.h"

#include <inttypes.h>

static bool write_table(struct command *command, enum event_table_kind kind,
                        const struct image_places *images)
{
    const struct session *session = &command->session;
    size_t column_count;
    const struct column *columns = event_table_columns(kind, images, &column_count);
    const struct event_table_options options = {kind,
                                                session->filter.range,
                                                session->filter.lane,
                                                session->trace->kind->registers,
                                                &command->session.names,
                                                images};
    if (!command_table(command, columns, column_count))
        return false;
    struct event_table *rows = event_table_new(&options, &command->table);
    if (!rows)
        return command_no_memory(command);
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL;
    request.options.segments = event_table_consumer(rows);
    bool is_done = command_request(command, &request);
    if (is_done && rows->late_count)
        diag_warning(&command->diag,
                     "%s: %" PRIu64 " instruction%s joined an event of %d events before: the rows "
                     "of these events do not include them",
                     session->path, rows->late_count, plural(rows->late_count),
                     EVENT_TABLE_SEGMENT_EVENTS);
    is_done = is_done && command_has_shown(command, rows->has_rows);
    event_table_free(rows);
    return is_done;
}

bool export_event_table(struct command *command, enum event_table_kind kind)
{
    const struct trace *trace;
    struct image_places images;
    if (!command_is_open(command))
        return false;
    // The kind of trace must have events line by line, from which these tables are made.
    trace = command->session.trace;
    if (!trace_can(trace, TRACE_INSTRUCTIONS) || !trace->kind->registers) {
        command_fail_with(command, STATUS_INPUT, "%s: is %s, which has only --table calls",
                          command->session.path, trace->kind->words.a);
        command->status = EXIT_STATUS_USAGE;
        return false;
    }
    if (command->table_format != TABLE_PARQUET)
        return write_table(command, kind, NULL);
    bool is_done = image_places_init(&images, &command->session.names.images)
                       ? write_table(command, kind, &images)
                       : command_no_memory(command);
    image_places_free(&images);
    return is_done;
}
