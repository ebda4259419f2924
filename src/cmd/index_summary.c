#include "cmd/index_summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000
#define MESSAGE_BYTES 400 // longer ones are cut

static const struct column columns[] = {
    {"Trace", "trace", COLUMN_TEXT},         {"Index", "index", COLUMN_TEXT},
    {"Status", "status", COLUMN_TEXT},       {"Lines", "lines", COLUMN_U64},
    {"Trace bytes", "bytes", COLUMN_U64},    {"Index bytes", "index_bytes", COLUMN_U64},
    {"Duration", "seconds", COLUMN_SECONDS}, {"Message", "message", COLUMN_TEXT},
};

void index_outcome_free(struct index_outcome *outcome)
{
    free(outcome->index);
    free(outcome->said);
    outcome->index = outcome->said = NULL;
}

enum status index_summary_begin(struct index_summary *summary, enum table_format format,
                                struct error *err)
{
    enum status status = out_open_fd(&summary->out, STDOUT_FILENO, "standard output", err);
    if (status == STATUS_OK)
        status = table_begin(&summary->table, &summary->out,
                             format == TABLE_JSON ? TABLE_JSON_LINES : format, columns,
                             ARRAY_COUNT(columns), err);
    summary->is_wanted = status == STATUS_OK;
    return status;
}

static const char *word_of(const struct index_outcome *outcome)
{
    switch (outcome->status) {
    case EXIT_STATUS_DONE:
        return outcome->was_built ? "built" : "fits";
    case EXIT_STATUS_DAMAGED:
        return outcome->was_built ? "built, trace damaged" : "fits, trace damaged";
    default:
        return "failed";
    }
}

// Writes the first line of a message, without the name of the program.
static void table_message(struct table *table, const char *said)
{
    static const char who[] = "trawl: ";
    char text[MESSAGE_BYTES];
    if (said && strncmp(said, who, sizeof who - 1) == 0)
        said += sizeof who - 1;
    size_t length = said ? strcspn(said, "\n") : 0;
    length = (size_t)u64_min(length, sizeof text - 1);
    if (length)
        memcpy(text, said, length);
    text[length] = '\0';
    table_text(table, length ? text : NULL);
}

void index_summary_add(struct index_summary *summary, const struct index_outcome *outcome)
{
    struct table *table = &summary->table;
    bool is_there = outcome->status == EXIT_STATUS_DONE || outcome->status == EXIT_STATUS_DAMAGED;
    if (!summary->is_wanted)
        return;
    table_text(table, outcome->trace);
    table_text(table, is_there ? outcome->index : NULL);
    table_text(table, word_of(outcome));
    if (is_there) {
        if (outcome->lines)
            table_u64(table, outcome->lines);
        else // XRay logs and trace files have none
            table_none(table);
        table_u64(table, outcome->trace_bytes);
        table_u64(table, outcome->index_bytes);
        table_seconds(table, outcome->wall_ns, NS_PER_SECOND);
    } else {
        for (int i = 0; i < 4; i++)
            table_none(table);
    }
    table_message(table, outcome->said);
    if (table->format != TABLE_TEXT)
        out_flush(&summary->out); // if the process is killed, the rows so far are kept
}

enum status index_summary_end(struct index_summary *summary, struct error *err)
{
    if (!summary->is_wanted)
        return STATUS_OK;
    summary->is_wanted = false;
    table_end(&summary->table);
    return out_close(&summary->out, err);
}
