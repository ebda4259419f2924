#include "trace/tfile/tfile.h"

#include "report/items.h"
#include "report/out.h"

#include <stdio.h>
#include <stdlib.h>

// The tables of the description.
struct tables {
    const struct tfile *file;
    const struct trace_namer *namer;
    struct out texts;       // of one location
    uint64_t *frame_counts; // by number of the tracepoint
};

// --- The target and the run ----------------------------------------------------------------------

static void put_known(struct items *items, const char *label, const char *key, uint64_t value)
{
    if (value != TFILE_UNKNOWN)
        items_u64(items, label, key, value);
}

// --- Tracepoints ---------------------------------------------------------------------------------

static const struct table_column location_columns[] = {
    {"Tracepoint", "tracepoint", COLUMN_U64}, {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},    {"Kind", "kind", COLUMN_TEXT},
    {"Enabled", "enabled", COLUMN_TEXT},      {"Steps", "steps", COLUMN_U64},
    {"Passes", "passes", COLUMN_U64},         {"Hits", "hits", COLUMN_U64},
    {"Data bytes", "data_bytes", COLUMN_U64}, {"Frames", "frames", COLUMN_U64},
    {"Location", "location", COLUMN_TEXT},    {"Condition", "condition", COLUMN_TEXT},
    {"Actions", "actions", COLUMN_TEXT},
};

// The lines of a location of one kind or, if there are none, of another, joined; NULL: none.
static const char *joined(struct tables *tables, const struct tfile_location *location,
                          enum tfile_piece_kind kind)
{
    out_clear(&tables->texts);
    for (size_t i = 0; i < location->piece_count; i++) {
        const struct tfile_piece *piece = &location->pieces[i];
        if (piece->kind != kind)
            continue;
        out_text(&tables->texts, tables->texts.used_bytes ? "; " : "");
        out_text(&tables->texts, piece->text);
    }
    return tables->texts.used_bytes ? out_memory_text(&tables->texts) : NULL;
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
    struct tables *tables = self;
    for (size_t i = 0; i < tables->file->locations.count; i++) {
        const struct tfile_location *location = &tables->file->locations.items[i];
        size_t count;
        tfile_locations_of(tables->file, (uint16_t)location->number, &count);
        table_u64(table, location->number);
        table_address(table, location->address);
        table_text(table, tables->namer->name(tables->namer->self, location->address));
        table_text(table, location->is_fast ? "fast" : location->is_static ? "static" : "normal");
        table_text(table, !location->is_defined ? NULL : location->is_enabled ? "yes" : "no");
        table_u64(table, location->steps);
        table_u64(table, location->passes);
        put_figure(table, location->hits);
        put_figure(table, location->data_bytes);
        // A frame does not specify to which of several locations it belongs.
        put_figure(table, count == 1 ? tables->frame_counts[location->number & UINT16_MAX]
                                     : TFILE_UNKNOWN);
        table_text(table, location->at);
        const char *condition = joined(tables, location, TFILE_CONDITION);
        table_text(table, condition ? condition : location->condition);
        const char *actions = joined(tables, location, TFILE_COMMAND);
        actions = actions ? actions : joined(tables, location, TFILE_ACTION);
        table_text(table, actions ? actions : joined(tables, location, TFILE_STEP_ACTION));
    }
}

// --- Variables -----------------------------------------------------------------------------------

static const struct table_column variable_columns[] = {
    {"Variable", "variable", COLUMN_TEXT},
    {"Number", "number", COLUMN_U64},
    {"Initial", "initial", COLUMN_TEXT},
    {"Built in", "builtin", COLUMN_TEXT},
};

static void put_variables(void *self, struct table *table)
{
    const struct tables *tables = self;
    char text[32];
    for (size_t i = 0; i < tables->file->variables.count; i++) {
        const struct tfile_variable *variable = &tables->file->variables.items[i];
        snprintf(text, sizeof text, "%lld", (long long)variable->initial);
        table_text(table, variable->name);
        table_u64(table, (uint64_t)variable->number);
        table_text(table, text);
        table_text(table, variable->is_builtin ? "yes" : "no");
    }
}

// --- What info shows -----------------------------------------------------------------------------

static void put(struct trace *trace, const struct pass_result *result, struct items *items)
{
    const struct tfile *file = &tfile_of(trace)->file;
    (void)result;
    const struct tfile_registers *registers = &file->registers;
    items_text(items, "format", "format", "GDB trace file");
    items_u64(items, "bytes", "bytes", file->size_bytes);
    items_text(items, "machine", "machine", tfile_machine_name(registers->machine));
    items_text(items, "architecture", "architecture", registers->architecture);
    items_text(items, "byte order", "byte_order", file->is_big_endian ? "big" : "little");
    items_u64(items, "register bytes", "register_bytes", file->register_bytes);
    items_u64(items, "registers", "registers", registers->items.count);
    items_bool(items, "described", "described", registers->is_described);
    const struct tfile_status *status = &file->status;

    if (status->is_told) {
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
    items_u64(items, "frames", "frames", file->frames.count);
    items_u64(items, "recovered frames", "recovered_frames", file->recovered_frames);
    items_u64(items, "unknown lines", "unknown_lines", file->unknown_lines);
    items_u64(items, "damaged places", "damaged_places", trace->damage.count);
    items_u64(items, "damaged bytes", "damaged_bytes", trace->damage.size_bytes);
}

static enum status put_all(struct tables *tables, struct items *items, struct error *err)
{
    const struct tfile *file = tables->file;
    for (size_t i = 0; i < file->frames.count; i++)
        tables->frame_counts[file->frames.items[i].number]++;
    enum status status = items_table(items, "tracepoints", location_columns,
                                     ARRAY_COUNT(location_columns), put_locations, tables, err);
    return status == STATUS_OK
               ? items_table(items, "variables", variable_columns, ARRAY_COUNT(variable_columns),
                             put_variables, tables, err)
               : status;
}

static enum status put_tables(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err)
{
    struct tables tables = {.file = &tfile_of(trace)->file, .namer = namer};
    (void)result;
    tables.frame_counts = calloc(UINT16_MAX + 1, sizeof *tables.frame_counts);
    if (!tables.frame_counts)
        return error_set(err, STATUS_MEMORY, "%s: no memory", trace->path);
    enum status status = out_open_memory(&tables.texts, err);
    if (status == STATUS_OK) {
        status = put_all(&tables, items, err);
        out_abandon(&tables.texts);
    }
    free(tables.frame_counts);
    return status;
}

const struct trace_description tfile_description = {
    .noun = "file",
    .event_noun = "frame",
    .put = put,
    .put_tables = put_tables,
};
