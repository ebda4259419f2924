#include "cmd/tfile/info.h"
#include "cmd/trace_open.h"

#include "report/items.h"

#include <stdio.h>
#include <stdlib.h>

enum { LABEL_WIDTH = 18 };

struct info {
    struct trace_command *command;
    const struct tfile *file;
    struct out texts;       // of one location
    uint64_t *frame_counts; // by the number of their tracepoint
};

// --- The target and the run ----------------------------------------------------------------------

static void put_target(const struct info *info, struct items *items)
{
    const struct tfile *file = info->file;
    const struct tfile_registers *registers = &file->registers;
    items_text(items, "trace", "path", info->command->session.path);
    items_text(items, "format", "format", "GDB trace file");
    items_u64(items, "bytes", "bytes", file->size_bytes);
    items_text(items, "machine", "machine", tfile_machine_name(registers->machine));
    items_text(items, "architecture", "architecture", registers->architecture);
    items_text(items, "byte order", "byte_order", file->is_big_endian ? "big" : "little");
    items_u64(items, "register bytes", "register_bytes", file->register_bytes);
    items_u64(items, "registers", "registers", registers->items.count);
    items_bool(items, "described", "described", registers->is_described);
}

static void put_known(struct items *items, const char *label, const char *key, uint64_t value)
{
    if (value != TFILE_UNKNOWN)
        items_u64(items, label, key, value);
}

static void put_status(const struct info *info, struct items *items)
{
    const struct tfile_status *status = &info->file->status;
    if (!status->is_told)
        return;
    items_bool(items, "still running", "running", status->is_running);
    items_text(items, "stopped by", "stop", tfile_stop_name(status->stop));
    if (status->stop == TFILE_STOP_PASSES || status->stop == TFILE_STOP_ERROR)
        items_u64(items, "stopped at", "stop_tracepoint", status->stop_tracepoint);
    items_text(items, "stop note", "stop_text", status->stop_text);
    put_known(items, "frames reported", "frames_reported", status->frames);
    put_known(items, "frames created", "frames_created", status->frames_created);
    put_known(items, "buffer bytes", "buffer_bytes", status->buffer_bytes);
    put_known(items, "buffer free", "buffer_free_bytes", status->free_bytes);
    items_bool(items, "circular", "circular", status->is_circular);
    items_bool(items, "goes on alone", "disconnected_tracing", status->goes_on_alone);
    if (status->start_us)
        items_seconds(items, "start time", "start_seconds", status->start_us, 1000000, 6);
    if (status->stop_us)
        items_seconds(items, "stop time", "stop_seconds", status->stop_us, 1000000, 6);
    items_text(items, "user", "user", status->user);
    items_text(items, "notes", "notes", status->notes);
}

static void put_frames(const struct info *info, struct items *items)
{
    const struct tfile *file = info->file;
    const struct trace_damage *damage = &info->command->session.trace->damage;
    items_u64(items, "frames", "frames", file->frames.count);
    items_u64(items, "recovered frames", "recovered_frames", file->recovered_frames);
    items_u64(items, "unknown lines", "unknown_lines", file->unknown_lines);
    items_u64(items, "damaged places", "damaged_places", damage->count);
    items_u64(items, "damaged bytes", "damaged_bytes", damage->size_bytes);
}

// --- Tracepoints ---------------------------------------------------------------------------------

static const struct column location_columns[] = {
    {"Tracepoint", "tracepoint", COLUMN_U64}, {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},    {"Kind", "kind", COLUMN_TEXT},
    {"Enabled", "enabled", COLUMN_TEXT},      {"Steps", "steps", COLUMN_U64},
    {"Passes", "passes", COLUMN_U64},         {"Hits", "hits", COLUMN_U64},
    {"Data bytes", "data_bytes", COLUMN_U64}, {"Frames", "frames", COLUMN_U64},
    {"Location", "location", COLUMN_TEXT},    {"Condition", "condition", COLUMN_TEXT},
    {"Actions", "actions", COLUMN_TEXT},
};

// The lines of a location of one kind, else of another, joined; NULL without any.
static const char *joined(struct info *info, const struct tfile_location *location,
                          enum tfile_piece_kind kind)
{
    out_clear(&info->texts);
    for (size_t i = 0; i < location->piece_count; i++) {
        const struct tfile_piece *piece = &location->pieces[i];
        if (piece->kind != kind)
            continue;
        out_text(&info->texts, info->texts.used_bytes ? "; " : "");
        out_text(&info->texts, piece->text);
    }
    return info->texts.used_bytes ? out_memory_text(&info->texts) : NULL;
}

static void put_figure(struct table *table, uint64_t value)
{
    if (value == TFILE_UNKNOWN)
        table_none(table);
    else
        table_u64(table, value);
}

static void put_locations(void *self, struct table *table)
{
    struct info *info = self;
    for (size_t i = 0; i < info->file->locations.count; i++) {
        const struct tfile_location *location = &info->file->locations.items[i];
        size_t count;
        tfile_locations_of(info->file, (uint16_t)location->number, &count);
        table_u64(table, location->number);
        table_address(table, location->address);
        table_text(table, tfile_function(info->command, location->address));
        table_text(table, location->is_fast ? "fast" : location->is_static ? "static" : "normal");
        table_text(table, !location->is_defined ? NULL : location->is_enabled ? "yes" : "no");
        table_u64(table, location->steps);
        table_u64(table, location->passes);
        put_figure(table, location->hits);
        put_figure(table, location->data_bytes);
        // Frames do not tell which of several locations they are of.
        put_figure(table,
                   count == 1 ? info->frame_counts[location->number & UINT16_MAX] : TFILE_UNKNOWN);
        table_text(table, location->at);
        const char *condition = joined(info, location, TFILE_CONDITION);
        table_text(table, condition ? condition : location->condition);
        const char *actions = joined(info, location, TFILE_COMMAND);
        actions = actions ? actions : joined(info, location, TFILE_ACTION);
        table_text(table, actions ? actions : joined(info, location, TFILE_STEP_ACTION));
    }
}

// --- Variables -----------------------------------------------------------------------------------

static const struct column variable_columns[] = {
    {"Variable", "variable", COLUMN_TEXT},
    {"Number", "number", COLUMN_U64},
    {"Initial", "initial", COLUMN_TEXT},
    {"Built in", "builtin", COLUMN_TEXT},
};

static void put_variables(void *self, struct table *table)
{
    const struct info *info = self;
    char text[32];
    for (size_t i = 0; i < info->file->variables.count; i++) {
        const struct tfile_variable *variable = &info->file->variables.items[i];
        snprintf(text, sizeof text, "%lld", (long long)variable->initial);
        table_text(table, variable->name);
        table_u64(table, (uint64_t)variable->number);
        table_text(table, text);
        table_text(table, variable->is_builtin ? "yes" : "no");
    }
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_all(struct info *info, struct items *items, struct error *err)
{
    put_target(info, items);
    put_status(info, items);
    put_frames(info, items);
    enum status status = items_table(items, "tracepoints", location_columns,
                                     ARRAY_COUNT(location_columns), put_locations, info, err);
    if (status == STATUS_OK)
        status = items_table(items, "variables", variable_columns, ARRAY_COUNT(variable_columns),
                             put_variables, info, err);
    items_end(items);
    return status;
}

static enum exit_status report(struct info *info)
{
    struct trace_command *command = info->command;
    struct items items;
    struct out out;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status))
        return status;
    items_begin(&items, &out, command->table_format == TABLE_JSON, LABEL_WIDTH);
    if (put_all(info, &items, &err) == STATUS_OK)
        return trace_command_end(command, &out);
    out_abandon(&out);
    return trace_command_error(command, &err);
}

enum exit_status tfile_info(struct trace_command *command, bool lists_functions, bool lists_sizes)
{
    (void)lists_functions, (void)lists_sizes; // it has no calls
    struct info info = {.command = command};
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    command->no_offsets = true; // the address stands beside the function
    if (!trace_command_open_images(command, &status))
        return status;
    info.file = tfile_file(command);
    info.frame_counts = calloc(UINT16_MAX + 1, sizeof *info.frame_counts);
    if (!info.frame_counts)
        error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
    if (!info.frame_counts || out_open_memory(&info.texts, &err) != STATUS_OK) {
        free(info.frame_counts);
        return trace_command_error(command, &err);
    }
    for (size_t i = 0; i < info.file->frames.count; i++)
        info.frame_counts[info.file->frames.items[i].number]++;
    status = report(&info);
    out_abandon(&info.texts);
    free(info.frame_counts);
    return status;
}
