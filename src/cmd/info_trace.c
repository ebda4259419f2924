#include "cmd/info_trace.h"

#include "cli/visible.h"
#include "cmd/index_sizes.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "flow/profile.h"
#include "report/items.h"
#include "session/index_plan.h"
#include "trace/description.h"

#include <stdio.h>

struct info {
    struct trace_command *command;
    const struct trace_description *description;
    bool lists_functions, lists_sizes;
    struct profile profile; // of the functions
    struct index_sizes sizes;
    struct index_file file;
    struct items items;
};

// --- The index -----------------------------------------------------------------------------------

// Opens the index that fits the trace, or that is read instead of it in any case. False: reported.
static bool find_index(struct info *info, enum exit_status *status)
{
    struct error err;
    struct trace_command *command = info->command;
    struct index_file *file = &info->file;
    const struct session_listener *listener = &command->session.listener;
    enum status found = index_plan_find(&command->session, file, &err);
    if (found == STATUS_NOT_FOUND)
        return true;
    if (found != STATUS_OK) {
        *status = trace_command_error(command, &err);
        return false;
    }
    bool is_told = file->fit == INDEX_FITS || file->fit == INDEX_OTHER_OPTIONS ||
                   command->session.index.use == INDEX_NO_BUILD;
    if (is_told && file->index)
        return true;
    if (file->fit != INDEX_MISSING || file->foreign_file)
        listener->about_index(listener->self, file, "not telling of it");
    index_file_free(file);
    return true;
}

static void put_index(struct info *info)
{
    struct items *items = &info->items;
    const struct trace_description *description = info->description;
    struct trawl_info about;
    char of[32], per[32], in_each[32];
    if (!info->file.index)
        return;
    snprintf(of, sizeof of, "part of the %s", description->noun);
    snprintf(per, sizeof per, "bytes/%s", description->event_noun);
    snprintf(in_each, sizeof in_each, "%ss in each", description->event_noun);
    trawl_info(info->file.index, &about);
    items_begin_part(items, "index");
    items_text(items, "index", "path", info->file.path);
    items_u64(items, "bytes", "bytes", about.index_bytes);
    items_ratio(items, of, "ratio", about.index_bytes, about.trace_bytes, 4);
    items_ratio(items, per, "bytes_per_event", about.index_bytes, about.events, 2);
    items_u64(items, "segments", "segments", about.segments);
    items_u64(items, in_each, "segment_events", about.segment_events);
    if (description->put_index)
        description->put_index(&about, items);
    items_end_part(items);
}

static enum status put_sizes(struct info *info, struct error *err)
{
    if (!info->file.index) {
        diag_warning(
            &info->command->diag,
            "%s: has no index that fits, so its sizes are unknown; 'trawl index' builds one",
            info->command->session.path);
        return STATUS_OK;
    }
    enum status status = index_sizes_read(&info->sizes, info->file.index, err);
    if (status != STATUS_OK)
        return status;
    return items_table(&info->items, "sizes", index_size_columns, INDEX_SIZE_COLUMNS,
                       index_sizes_put, &info->sizes, err);
}

// --- Functions -----------------------------------------------------------------------------------

static const struct column function_columns[] = {
    {"Id", "function_id", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_functions(void *self, struct table *table)
{
    struct info *info = self;
    for (size_t i = 0; i < info->profile.rows.count; i++) {
        const struct profile_row *row = &info->profile.rows.items[i];
        if (row->pc == FUNCTION_PC_OUTSIDE)
            continue;
        trace_command_function_id(table, row->pc);
        table_u64(table, row->count);
        table_text(table, names_of(&info->command->session.names, row->pc));
    }
}

// --- The report ----------------------------------------------------------------------------------

static const char *name_of(void *self, uint64_t pc)
{
    const char *name = names_of(self, pc);
    return *name ? name : NULL;
}

static enum status put_all(struct info *info, struct error *err)
{
    struct session *session = &info->command->session;
    struct items *items = &info->items;
    const struct trace_namer namer = {&session->names, name_of};
    items_text(items, "trace", "path", session->path);
    info->description->put(session->trace, &session->result, items);
    put_index(info);
    enum status status =
        info->description->put_tables(session->trace, &session->result, &namer, items, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = put_sizes(info, err);
    if (status == STATUS_OK && info->lists_functions)
        status = items_table(items, "functions", function_columns, ARRAY_COUNT(function_columns),
                             put_functions, info, err);
    if (status == STATUS_OK)
        items_end(items);
    return status;
}

static enum exit_status report(struct info *info)
{
    struct out out;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(info->command, &out, &status))
        return status;
    items_begin(&info->items, &out, info->command->table_format == TABLE_JSON, INFO_LABEL_WIDTH);
    if (put_all(info, &err) == STATUS_OK)
        return trace_command_end(info->command, &out);
    out_abandon(&out);
    return trace_command_error(info->command, &err);
}

// For a trace with calls, makes a pass over the trace or its index.
static bool gather(struct info *info, enum exit_status *status)
{
    struct trace_command *command = info->command;
    if (!trace_command_open_images(command, status))
        return false;
    if (!session_can(&command->session, TRACE_CALLS))
        return true;
    bool is_read = info->lists_functions ? trace_command_profile(command, &info->profile, status)
                                         : trace_command_pass(command, NULL, NULL, status);
    return is_read && find_index(info, status);
}

enum exit_status info_trace(struct trace_command *command, bool lists_functions, bool lists_sizes)
{
    struct info info = {.command = command,
                        .description = command->session.trace->kind->description,
                        .lists_functions = lists_functions,
                        .lists_sizes = lists_sizes};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (session_can(&command->session, TRACE_SNAPSHOTS))
        command->no_offsets = true; // the address is next to the function
    if (gather(&info, &status))
        status = report(&info);
    index_file_free(&info.file);
    profile_free(&info.profile);
    return status;
}
