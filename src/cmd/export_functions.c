// The profile of each lane as a table, for adding up many traces.
#include "cmd/export.h"

#include "cmd/contexts.h"
#include "cmd/trace_pass.h"
#include "flow/profile.h"
#include "session/hidden.h"

#include <stdlib.h>

// The same for all kinds of traces, so that their tables can be combined. The first is left out if
// tasks are not distinguished.
static const struct column columns[] = {
    {"Task", "task", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
    {"Function", "function", COLUMN_TEXT},
    {"Id", "function_id", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
    {"Self", "self", COLUMN_TICKS},
    {"Total", "total", COLUMN_TICKS},
    {"Calls", "calls", COLUMN_U64},
    {"Self", "self_seconds", COLUMN_SECONDS},
    {"Total", "total_seconds", COLUMN_SECONDS},
};

struct functions {
    struct command *command;
    struct image_places images;
    struct contexts contexts;
    struct table table;
    bool has_rows;
};

static void put_address(struct functions *functions, uint64_t pc)
{
    struct table *table = &functions->table;
    const struct trace *trace = functions->command->session.trace;
    if (trace && !trace_can(trace, TRACE_ADDRESSES)) {
        command_function_id(table, pc);
        table_none(table);
        table_none(table);
        table_none(table);
        return;
    }
    const struct image_place place = image_places_find(&functions->images, pc & ~UINT64_C(1));
    table_none(table);
    table_address(table, pc & ~UINT64_C(1));
    table_text(table, place.image);
    if (place.image)
        table_address(table, place.address);
    else
        table_none(table);
}

static void put_row(struct functions *functions, const struct context_lane *lane,
                    const struct profile_row *row)
{
    struct command *command = functions->command;
    struct table *table = &functions->table;
    const char *name = names_of(&command->session.names, row->pc);
    const struct trace *trace = command->session.trace;
    uint64_t hz = trace ? trace_frequency_hz(trace) : 0;
    if (command->shows_tasks)
        table_text(table, lane->task);
    table_text(table, *lane->name ? lane->name : NULL);
    table_text(table, *name ? name : NULL);
    put_address(functions, row->pc);
    table_u64(table, row->ticks_self);
    table_u64(table, row->ticks_total);
    table_u64(table, row->count);
    table_seconds(table, row->ticks_self, hz);
    table_seconds(table, row->ticks_total, hz);
    functions->has_rows = true;
}

static bool put_lane(struct functions *functions, const struct context_lane *lane,
                     enum exit_status *status)
{
    struct command *command = functions->command;
    const struct contexts *contexts = &functions->contexts;
    struct profile profile;
    struct error err;
    if (profile_make(&profile, &contexts->tree, contexts->roots.items + lane->first_root,
                     lane->root_count, command->session.filter.depth_max, &err) != STATUS_OK) {
        *status = command_error(command, &err);
        return false;
    }
    for (size_t i = 0; i < profile.rows.count; i++) {
        if (session_takes_function(&command->session, profile.rows.items[i].pc))
            put_row(functions, lane, &profile.rows.items[i]);
    }
    profile_free(&profile);
    return true;
}

static enum exit_status write_table(struct functions *functions)
{
    struct command *command = functions->command;
    const struct contexts *contexts = &functions->contexts;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    size_t left_out = !command->shows_tasks;
    if (!command_output(command, &out, &status) ||
        !command_table(command, &functions->table, &out, columns + left_out,
                       ARRAY_COUNT(columns) - left_out, &status))
        return status;
    bool is_done = true;
    for (size_t i = 0; i < contexts->lanes.count && is_done; i++)
        is_done = put_lane(functions, &contexts->lanes.items[i], &status);
    table_end(&functions->table);
    if (is_done && command_has_shown(command, functions->has_rows, &status))
        return command_end(command, &out);
    out_abandon(&out);
    return status;
}

enum exit_status export_functions(struct command *command)
{
    struct functions functions = {.command = command};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_open_images(command, &status))
        return status;
    if (contexts_gather(&functions.contexts, command, false, NULL, &status))
        status = image_places_init(&functions.images, &command->session.names.images)
                     ? write_table(&functions)
                     : command_no_memory(command);
    image_places_free(&functions.images);
    contexts_free(&functions.contexts);
    return status;
}
