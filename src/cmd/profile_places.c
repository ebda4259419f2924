#include "cmd/profile_places.h"

#include "cmd/instruction_counts.h"
#include "cmd/source_places.h"

#include <stdlib.h>

static const struct column line_columns[] = {
    {"Self", "self", COLUMN_TICKS},         {"Self", "self_share", COLUMN_SHARE},
    {"Visits", "visits", COLUMN_U64},       {"Executed", "executed", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS}, {"File", "file", COLUMN_TEXT},
    {"Line", "line", COLUMN_U64},
};

static const struct column function_columns[] = {
    {"Self", "self", COLUMN_TICKS},
    {"Self", "self_share", COLUMN_SHARE},
    {"Self inlined", "self_inlined", COLUMN_TICKS},
    {"With inlined", "with_inlined", COLUMN_TICKS},
    {"With inlined", "with_inlined_share", COLUMN_SHARE},
    {"Executed", "executed", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},
};

static uint64_t figure_of(const struct place_row *row, enum profile_sort sort)
{
    return sort == SORT_SELF    ? row->ticks
           : sort == SORT_TOTAL ? row->ticks_with
           : sort == SORT_COUNT ? row->executed
                                : 0;
}

// Rows are in the order of name and line.
static int compare(const void *a_item, const void *b_item, void *context)
{
    const struct place_row *a = a_item, *b = b_item;
    const enum profile_sort sort = *(const enum profile_sort *)context;
    uint64_t first = figure_of(a, sort), second = figure_of(b, sort);
    int order = (first < second) - (first > second);
    if (sort == SORT_NAME)
        order = strcmp(a->name ? a->name : "", b->name ? b->name : "");
    if (order == 0 && sort != SORT_NAME)
        order = (a->address > b->address) - (a->address < b->address);
    if (order == 0 && a->name && b->name)
        order = strcmp(a->name, b->name);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static void put_line(struct table *table, const struct place_row *row, uint64_t whole)
{
    table_u64(table, row->ticks);
    table_share(table, row->ticks, whole);
    table_u64(table, row->visits);
    table_u64(table, row->executed);
    table_address(table, row->address);
    table_text(table, row->name);
    if (row->name)
        table_u64(table, row->line);
    else
        table_none(table);
}

static void put_function(struct table *table, const struct place_row *row, uint64_t whole)
{
    table_u64(table, row->ticks);
    table_share(table, row->ticks, whole);
    table_u64(table, row->ticks_inlined);
    table_u64(table, row->ticks_with);
    table_share(table, row->ticks_with, whole);
    table_u64(table, row->executed);
    table_address(table, row->address);
    table_text(table, row->name);
}

static bool put_table(const struct profile_places *wanted, struct trace_command *command,
                      struct place_profile *profile, struct out *out, enum exit_status *status)
{
    struct table table;
    bool is_lines = wanted->kind == PLACE_LINE;
    enum profile_sort sort = wanted->sort;
    if (profile->rows.count)
        qsort_r(profile->rows.items, profile->rows.count, sizeof *profile->rows.items, compare,
                &sort);
    if (!trace_command_table(command, &table, out, is_lines ? line_columns : function_columns,
                             is_lines ? ARRAY_COUNT(line_columns) : ARRAY_COUNT(function_columns),
                             status))
        return false;
    for (size_t i = 0; i < profile->rows.count && i < wanted->top; i++)
        (is_lines ? put_line : put_function)(&table, &profile->rows.items[i], profile->ticks);
    table_end(&table);
    return true;
}

static enum exit_status put(const struct profile_places *wanted, struct trace_command *command,
                            struct place_profile *profile)
{
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status) ||
        !put_table(wanted, command, profile, &out, &status))
        return status;
    return trace_command_end(command, &out);
}

// Leaves out counts of other functions.
static size_t keep_function(struct trace_command *command, struct pc_count *counts, size_t count)
{
    struct session *session = &command->session;
    uint64_t start;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (session_takes_function(session, names_start_of(&session->names, counts[i].pc, &start)
                                                ? start
                                                : counts[i].pc))
            counts[kept++] = counts[i];
    }
    return kept;
}

static enum exit_status report(const struct profile_places *wanted, struct trace_command *command,
                               struct pc_count *counts, size_t count)
{
    struct source_lines lines = {0};
    struct place_profile profile = {0};
    enum exit_status status;
    if (command->session.filter.function)
        count = keep_function(command, counts, count);
    if (!trace_command_has_shown(command, count != 0, &status))
        return status;
    bool is_made = place_profile_make(&profile, wanted->kind, counts, count,
                                      &command->session.names, &lines) &&
                   !source_lines_lacked_memory(&lines) && !command->session.names.lacks_memory;
    status = is_made ? put(wanted, command, &profile) : trace_command_no_memory(command);
    place_profile_free(&profile);
    source_places_end(command, &lines);
    return status;
}

enum exit_status profile_places(const struct profile_places *wanted, struct trace_command *command)
{
    struct pc_counts counts = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (instruction_counts_add(command, &counts, &status)) {
        struct pc_count *sorted = pc_counts_sorted(&counts);
        status = sorted ? report(wanted, command, sorted, counts.count)
                        : trace_command_no_memory(command);
        free(sorted);
    }
    pc_counts_free(&counts);
    return status;
}

bool profile_places_begin(const struct profile_places *wanted, struct trace_command *command,
                          struct options_parser *parser)
{
    static const int of_calls[] = {OPTION_DEPTH,     OPTION_HIDE,          OPTION_TASK,
                                   OPTION_TASK_NAME, OPTION_RETURNED_ONLY, OPTION_INDEX};
    for (size_t i = 0; i < ARRAY_COUNT(of_calls); i++) {
        if (trace_command_was_given(command, of_calls[i])) {
            options_error(parser, "--by line and --by inline count instructions: --depth, --hide, "
                                  "--task, --task-name, --returned-only and --index do not apply");
            return false;
        }
    }
    if (wanted->kind == PLACE_LINE && wanted->sort == SORT_TOTAL) {
        options_error(parser, "--sort total needs functions: a line has nothing inlined into it");
        return false;
    }
    command->needs |= TRACE_INSTRUCTIONS;
    command->session.index.in_memory = true;
    return true;
}
