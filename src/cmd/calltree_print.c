#include "cmd/calltree_print.h"

#include "cmd/source_places.h"
#include "report/clean.h"

// A call and how the report shows it.
struct shown_call {
    const struct call *call;
    uint64_t depth; // 0: the root
    const char *name;
};

// --- Text ----------------------------------------------------------------------------------------

// The source place of a node, if requested and known.
static bool find_place(struct call_printer *printer, const struct node_ref *node,
                       char text[SOURCE_PLACE_BYTES])
{
    return printer->command->split_by & SPLIT_LINES &&
           source_lines_text(printer->lines, &printer->command->session.names, node->pc, text);
}

static void put_place(struct call_printer *printer, const struct node_ref *node)
{
    struct out *out = printer->out;
    char text[SOURCE_PLACE_BYTES];
    out_text(out, "t:");
    out_u64(out, node->time);
    out_text(out, " l:");
    out_u64(out, node->line);
    out_text(out, " pc:0x");
    out_hex(out, node->pc, 1);
    if (find_place(printer, node, text)) {
        out_byte(out, ' ');
        out_clean(out, text);
    }
}

static void put_marks(struct out *out, const struct shown_call *shown)
{
    if (shown->call->is_open)
        out_text(out, " (open)");
    if (shown->call->is_clipped)
        out_text(out, " (clipped)");
    if (shown->call->has_no_entry)
        out_text(out, " (no entry)");
    if (shown->call->how & CALL_INLINED)
        out_text(out, " (inlined)");
}

static void print_text(struct call_printer *printer, const struct shown_call *shown)
{
    struct out *out = printer->out;
    const struct call *call = shown->call;
    if (shown->depth) {
        out_pad(out, 4 * shown->depth - 2);
        out_text(out, "- ");
        put_place(printer, &call->site);
        out_text(out, " - ");
        put_place(printer, &call->resume);
        put_marks(out, shown);
        out_byte(out, '\n');
    }
    out_pad(out, 4 * shown->depth);
    out_text(out, "o ");
    put_place(printer, &call->entry);
    out_text(out, " - ");
    put_place(printer, &call->exit);
    out_text(out, " : ");
    trace_command_put(printer->command, out, shown->name);
    put_marks(out, shown);
    out_byte(out, '\n');
}

static void put_byte_place(struct out *out, const struct node_ref *node)
{
    out_text(out, "t:");
    out_u64(out, node->time);
    out_text(out, " byte:");
    out_u64(out, node->line);
}

// Function records have no place between two of them, so there is no call site to show.
static void print_byte_text(struct call_printer *printer, const struct shown_call *shown)
{
    struct out *out = printer->out;
    out_pad(out, 2 * shown->depth);
    out_text(out, "o ");
    put_byte_place(out, &shown->call->entry);
    out_text(out, " - ");
    put_byte_place(out, &shown->call->exit);
    out_text(out, " : ");
    trace_command_put(printer->command, out, shown->name);
    put_marks(out, shown);
    out_byte(out, '\n');
}

// --- Tables --------------------------------------------------------------------------------------

// Some are left out: the first if tasks are not distinguished, the last two without --lines, and
// the two before them except in tables of many files.
static const struct column columns[] = {
    {"Task", "task", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
    {"Depth", "depth", COLUMN_U64},
    {"Entry", "entry_time", COLUMN_TICKS},
    {"Entry line", "entry_line", COLUMN_U64},
    {"Entry", "entry_pc", COLUMN_ADDRESS},
    {"Exit", "exit_time", COLUMN_TICKS},
    {"Exit line", "exit_line", COLUMN_U64},
    {"Exit", "exit_pc", COLUMN_ADDRESS},
    {"Site", "site_pc", COLUMN_ADDRESS},
    {"Resume", "resume_pc", COLUMN_ADDRESS},
    {"Kind", "kind", COLUMN_TEXT},
    {"State", "state", COLUMN_TEXT},
    {"Function", "function", COLUMN_TEXT},
    {"Image", "image", COLUMN_TEXT},
    {"In image", "image_address", COLUMN_ADDRESS},
    {"Called at", "site_place", COLUMN_TEXT},
    {"Begins at", "entry_place", COLUMN_TEXT},
};

enum { PLACE_COLUMNS = 2, IMAGE_COLUMNS = 2, COLUMN_COUNT = ARRAY_COUNT(columns) };

static void table_place(struct table *table, const struct node_ref *node)
{
    table_u64(table, node->time);
    table_u64(table, node->line);
    table_address(table, node->pc);
}

static const char *state_of(const struct call *call)
{
    if (call->has_no_entry)
        return "no entry";
    if (call->is_open)
        return call->is_clipped ? "open, clipped" : "open";
    if (call->is_clipped)
        return "clipped";
    const char *word = call_end_word(call->how);
    return word ? word : "returned";
}

static const char *kind_of(const struct call *call)
{
    if (call->how & CALL_INLINED)
        return "inlined";
    if (call->how & CALL_TASK)
        return call->how & CALL_RESUMED ? "task, resumed" : "task";
    if (call->how & CALL_EXCEPTION)
        return call->how & CALL_RESUMED ? "exception, resumed" : "exception";
    if (call->how & CALL_RESUMED)
        return "resumed";
    return call->how & CALL_TAIL_ENTRY ? "tail call" : "call";
}

// The cells with line numbers.
static void table_lines(struct call_printer *printer, const struct shown_call *shown)
{
    char text[SOURCE_PLACE_BYTES];
    const struct call *call = shown->call;
    bool has_site = shown->depth || call->how & CALL_TASK;
    if (!(printer->command->split_by & SPLIT_LINES))
        return;
    table_text(&printer->table, has_site && find_place(printer, &call->site, text) ? text : NULL);
    table_text(&printer->table, find_place(printer, &call->entry, text) ? text : NULL);
}

// The place of a function in its image, which is the same in many runs.
static void table_image(struct call_printer *printer, const struct shown_call *shown)
{
    if (!printer->images)
        return;
    const struct image_place place =
        image_places_find(printer->images, shown->call->entry.pc & ~UINT64_C(1));
    table_text(&printer->table, place.image);
    if (place.image)
        table_address(&printer->table, place.address);
    else
        table_none(&printer->table);
}

static void print_row(struct call_printer *printer, const struct shown_call *shown)
{
    struct table *table = &printer->table;
    const struct call *call = shown->call;
    if (printer->task)
        table_text(table, printer->task);
    table_text(table, *printer->lane ? printer->lane : NULL);
    table_u64(table, shown->depth);
    table_place(table, &call->entry);
    table_place(table, &call->exit);
    if (shown->depth || call->how & CALL_TASK) {
        table_address(table, call->site.pc);
        table_address(table, call->resume.pc);
    } else {
        table_none(table);
        table_none(table);
    }
    if (shown->depth || call->how & CALL_TASK)
        table_text(table, kind_of(call));
    else
        table_text(table, NULL);
    table_text(table, state_of(call));
    table_text(table, *shown->name ? shown->name : NULL);
    table_image(printer, shown);
    table_lines(printer, shown);
}

static const struct column byte_columns[] = {
    {"Core", "lane", COLUMN_TEXT},         {"Depth", "depth", COLUMN_U64},
    {"Entry", "entry_time", COLUMN_TICKS}, {"Entry byte", "entry_position", COLUMN_U64},
    {"Exit", "exit_time", COLUMN_TICKS},   {"Exit byte", "exit_position", COLUMN_U64},
    {"Duration", "ticks", COLUMN_TICKS},   {"Duration", "seconds", COLUMN_SECONDS},
    {"State", "state", COLUMN_TEXT},       {"Id", "function_id", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void print_byte_row(struct call_printer *printer, const struct shown_call *shown)
{
    struct table *table = &printer->table;
    const struct call *call = shown->call;
    uint64_t ticks = call->exit.time - call->entry.time;
    table_text(table, printer->lane);
    table_u64(table, shown->depth);
    table_u64(table, call->entry.time);
    table_u64(table, call->entry.line);
    table_u64(table, call->exit.time);
    table_u64(table, call->exit.line);
    table_u64(table, ticks);
    table_seconds(table, ticks, trace_frequency_hz(printer->command->session.trace));
    table_text(table, state_of(call));
    trace_command_function_id(table, call->entry.pc);
    table_text(table, shown->name);
}

_Static_assert(ARRAY_COUNT(columns) == CALLTREE_COLUMNS, "there is room for all columns");

size_t call_printer_columns(const struct trace_command *command, bool has_images,
                            struct column shown[CALLTREE_COLUMNS])
{
    size_t count = 0;
    if (!trace_can(command->session.trace, TRACE_LINES)) {
        memcpy(shown, byte_columns, sizeof byte_columns);
        return ARRAY_COUNT(byte_columns);
    }
    for (size_t i = command->shows_tasks ? 0 : 1; i < COLUMN_COUNT; i++) {
        bool is_place = i >= COLUMN_COUNT - PLACE_COLUMNS;
        bool is_image = !is_place && i >= COLUMN_COUNT - PLACE_COLUMNS - IMAGE_COLUMNS;
        if ((!is_place || command->split_by & SPLIT_LINES) && (!is_image || has_images))
            shown[count++] = columns[i];
    }
    return count;
}

// -------------------------------------------------------------------------------------------------

void call_printer_show(struct call_printer *printer, const struct call *call, uint64_t depth,
                       const char *name)
{
    const struct shown_call shown = {call, depth, name};
    bool has_lines = trace_can(printer->command->session.trace, TRACE_LINES);
    printer->has_shown = true;
    if (printer->command->table_format == TABLE_TEXT)
        (has_lines ? print_text : print_byte_text)(printer, &shown);
    else
        (has_lines ? print_row : print_byte_row)(printer, &shown);
}
