#include "cmd/driver.h"

#include "cmd/report_damage.h"

#include <errno.h>
#include <inttypes.h>

// --- The end -------------------------------------------------------------------------------------

// Whether the report is complete. Looks up the places of doubts in the files of a trace: that may
// take memory, whose lack must not come after the report.
static enum status check_report(struct command *command, struct error *err)
{
    const struct session *session = &command->session;
    char place[FILE_PLACE_BYTES];
    bool is_of_files = !command->asks_index && source_has_files(session->trace->source);
    for (enum doubt_kind kind = 0; kind < DOUBT_KINDS && is_of_files; kind++) {
        const struct doubt *doubt = &session->result.doubts.of[kind];
        errno = 0;
        if (doubt->count && !file_place_of_line(session->trace, doubt->line, place) &&
            errno == ENOMEM)
            return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    }
    if (command->asks_index && !index_view_is_intact(session->view.index))
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read",
                         session->view_path);
    if (!command_is_intact(command))
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read", session->path);
    // Ends the table of many files, if there is one.
    struct parquet *parquet = command->parquet;
    if (!parquet)
        return STATUS_OK;
    command->parquet = NULL;
    if (!command->session.names.lacks_memory)
        return parquet_end(parquet, err);
    parquet_abandon(parquet);
    return error_set(err, STATUS_MEMORY, "%s: no memory", command->session.path);
}

bool command_end(struct command *command)
{
    struct error err;
    if (command->has_ended)
        return true;
    if (command->has_output) {
        if (command->has_table)
            table_end(&command->table);
        command->has_table = false;
        if (check_report(command, &err) != STATUS_OK)
            return command_fail(command, &err);
        if (command_close(command, &err) != STATUS_OK)
            return command_fail(command, &err);
        if (command->session.reading == READING_TRUE && !command->asks_index) {
            // Reports if more than one in a thousand returns have no known call.
            uint64_t unmatched = 0, returned = 0;
            for (size_t i = 0; i < command->session.result.lane_count; i++) {
                unmatched += command->session.result.lanes[i].counts.unmatched;
                returned += command->session.result.lanes[i].counts.returned;
            }
            if (unmatched > (unmatched + returned) / 1000)
                diag_warning(
                    &command->diag,
                    "%s: %" PRIu64 " of %" PRIu64
                    " returns belong to no call that the trace shows, so calls around them may "
                    "be wrong",
                    command->session.path, unmatched, unmatched + returned);
        }
        if (!command->asks_index)
            command_report_unknown_ids(command);
        report_hidden(&command->diag, command->session.path, &command->session.hidden);
    }
    command->status = command->asks_index ? query_sum_up(command) : command_sum_up(command);
    command->has_ended = true;
    return true;
}

// --- The way through -----------------------------------------------------------------------------

void command_report(struct command *command, bool (*report)(void *self), void *self)
{
    do {
        command->is_damaged = command->has_ended = false;
        bool is_only_opened = command->asks_index && command->session.index.use == INDEX_ONLY;
        if ((command->asks_index && !query_open(command)) ||
            (!is_only_opened && report && !report(self)) || !command_end(command))
            command_abandon(command);
        if (command->is_damaged)
            session_forsake_view(&command->session, STATUS_DAMAGED);
    } while (command->is_damaged);
}

enum exit_status command_run(struct command *command, int argc, char *const *argv,
                             const struct command_steps *steps)
{
    struct options_parser parser;
    if (!command_options(command, &parser, argc, argv, steps))
        command->status = parser.status;
    else if (command_open_images(command))
        command_report(command, steps->report, steps->self);
    enum exit_status status = command->status;
    command_free(command);
    return status;
}
