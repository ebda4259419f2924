// calltree: every call with its place in the trace, indented by depth.
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_kinds.h"
#include "cmd/option_rows.h"
#include "cmd/reports.h"
#include "cmd/source_places.h"
#include "cmd/trace_inputs.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"

#include "analysis/inlined_calls.h"
#include "export/image_places.h"
#include "flow/call_list.h"
#include "report/clean.h"
#include "session/call_level.h"
#include "session/tasks.h"

#include <errno.h>
#include <stdlib.h>

// A call as the report shows it.
struct shown_call {
    const struct call *call;
    uint64_t depth; // 0: the root
    const char *name;
};

struct printer {
    struct trace_command *command;
    struct source_lines *lines;
    struct inlined_calls *inlined; // NULL: not asked for
    struct call_list *list;
    const struct image_places *images; // NULL: not asked for
    struct out *out;
    struct table table;
    const char *lane;
    const char *task;    // that calls are of; NULL: not told
    uint64_t levels_max; // of indented text
    bool has_shown;
    bool is_cut; // there are calls more levels deep than that
};

// --- Text ----------------------------------------------------------------------------------------

// Where a node is in the source, if that is asked for and known.
static bool find_place(struct printer *printer, const struct node_ref *node,
                       char text[SOURCE_PLACE_BYTES])
{
    return printer->command->split_by & SPLIT_LINES &&
           source_lines_text(printer->lines, &printer->command->session.names, node->pc, text);
}

static void put_place(struct printer *printer, const struct node_ref *node)
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

static void print_text(struct printer *printer, const struct shown_call *shown)
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

// Function records have no place between two of them, so that there is no site to tell.
static void print_byte_text(struct printer *printer, const struct shown_call *shown)
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

// The first is left out where tasks are not told apart, the last two, of source lines, without
// --lines, and the two before them but of tables of many files.
static const struct column columns[] = {
    {"Task", "task", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
    {"Depth", "depth", COLUMN_U64},
    {"Entry time", "entry_time", COLUMN_U64},
    {"Entry line", "entry_line", COLUMN_U64},
    {"Entry", "entry_pc", COLUMN_ADDRESS},
    {"Exit time", "exit_time", COLUMN_U64},
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

// What stands where is told by lines.
static void table_lines(struct printer *printer, const struct shown_call *shown)
{
    char text[SOURCE_PLACE_BYTES];
    const struct call *call = shown->call;
    bool has_site = shown->depth || call->how & CALL_TASK;
    if (!(printer->command->split_by & SPLIT_LINES))
        return;
    table_text(&printer->table, has_site && find_place(printer, &call->site, text) ? text : NULL);
    table_text(&printer->table, find_place(printer, &call->entry, text) ? text : NULL);
}

// Where a function is in its image, which many runs may have.
static void table_image(struct printer *printer, const struct shown_call *shown)
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

static void print_row(struct printer *printer, const struct shown_call *shown)
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
    {"Core", "lane", COLUMN_TEXT},
    {"Depth", "depth", COLUMN_U64},
    {"Entry time", "entry_time", COLUMN_U64},
    {"Entry byte", "entry_position", COLUMN_U64},
    {"Exit time", "exit_time", COLUMN_U64},
    {"Exit byte", "exit_position", COLUMN_U64},
    {"Ticks", "ticks", COLUMN_U64},
    {"Seconds", "seconds", COLUMN_SECONDS},
    {"State", "state", COLUMN_TEXT},
    {"Id", "function_id", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void print_byte_row(struct printer *printer, const struct shown_call *shown)
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

// --- The walk ------------------------------------------------------------------------------------

static void show(struct printer *printer, const struct call *call, uint64_t depth, const char *name)
{
    const struct shown_call shown = {call, depth, name};
    bool has_lines = trace_can(printer->command->session.trace, TRACE_LINES);
    printer->has_shown = true;
    if (printer->command->table_format == TABLE_TEXT)
        (has_lines ? print_text : print_byte_text)(printer, &shown);
    else
        (has_lines ? print_row : print_byte_row)(printer, &shown);
}

// A level of calls that the walk is in.
struct path_level {
    call_ref place;           // the next call to show there
    struct call_level around; // the call that they are in
    uint32_t inlined;         // how many inlined functions are around them
};

VEC(path, struct path_level);

// False: no memory.
static bool descend(struct path *path, call_ref first, const struct call_level *around,
                    uint32_t inlined)
{
    if (!VEC_ROOM(path, 1))
        return false;
    path->items[path->count++] = (struct path_level){first, *around, inlined};
    return true;
}

// `inlined`: how many inlined functions a call is in, with itself.
static const char *name_of(struct printer *printer, const struct call *call, uint32_t inlined)
{
    return call->how & CALL_INLINED ? inlined_calls_name(printer->inlined, call->entry.pc, inlined)
                                    : names_of(&printer->command->session.names, call->entry.pc);
}

// Shows a call, where that is wanted. Returns whether those in it are.
static bool show_call(struct printer *printer, const struct call *call,
                      const struct call_level *level, uint32_t inlined)
{
    struct session *session = &printer->command->session;
    call_level_count(session, level, call->how);
    if (!level->is_shown)
        return true;
    uint64_t depth = call_level_depth(level);
    if (depth > printer->levels_max) {
        printer->is_cut = true;
        return false;
    }
    show(printer, call, depth, name_of(printer, call, inlined));
    return depth < session->filter.depth_max;
}

// Shows `first` and what follows on its level, each with what is below it: what filters and --hide
// leave of that.
static bool walk_calls(struct printer *printer, call_ref first, const struct call_level *around)
{
    struct path path = {0};
    bool is_whole = descend(&path, first, around, 0);
    while (is_whole && path.count && !out_failed(printer->out)) {
        struct path_level *in = &path.items[path.count - 1];
        if (!in->place) {
            path.count--;
            continue;
        }
        struct listed_call listed;
        call_list_read(printer->list, in->place, &listed);
        in->place = listed.next_sibling;
        const struct call_level level = call_level_of(&printer->command->session, &in->around,
                                                      listed.call.entry.pc, listed.call.how);
        uint32_t inlined = listed.call.how & CALL_INLINED ? in->inlined + 1 : 0;
        if (show_call(printer, &listed.call, &level, inlined) && listed.first_child)
            is_whole = descend(&path, listed.first_child, &level, inlined);
    }
    free(path.items);
    return is_whole;
}

static void put_heading(struct printer *printer, const char *name)
{
    if (printer->command->table_format != TABLE_TEXT || !*name)
        return;
    trace_command_put(printer->command, printer->out, name);
    out_text(printer->out, ":\n");
}

// The calls of a lane, or of its first task.
static bool print_root(struct printer *printer, const struct call *root,
                       const struct call_content *calls)
{
    struct trace_command *command = printer->command;
    struct session *session = &command->session;
    bool is_ttu = session->reading == READING_TTU;
    const char *name = command->no_offsets && is_ttu
                           ? names_of_root(&session->names, root->entry.pc)
                           : names_of(&session->names, root->entry.pc);
    const struct call_level outside = call_level_outside(session, 0);
    const struct call_level level = call_level_of(session, &outside, root->entry.pc, root->how);
    call_level_count(session, &level, root->how);
    if (level.is_shown)
        show(printer, root, 0, name);
    if (session->filter.depth_max == 0 && level.is_shown)
        return true;
    return walk_calls(printer, call_list_first(calls), &level);
}

// What a task calls stands below its outermost function, but for the first task, which the lane
// begins in.
static bool print_tasks(struct printer *printer, size_t number, const struct call *root)
{
    const struct session *session = &printer->command->session;
    const struct task_log *log = &session->result.lanes[number].tasks;
    bool is_whole = true;
    for (size_t i = 0; i < log->tasks.count && is_whole; i++) {
        const struct task_name *task = task_names_find(&session->tasks, number, i);
        const struct call_content *calls = &log->tasks.items[i].calls;
        if (!session_takes_task(session, task) || (i && !call_list_first(calls)))
            continue;
        if (printer->command->shows_tasks) {
            printer->task = task->name;
            put_heading(printer, task->name);
        }
        const struct call_level outside = call_level_outside(session, 0);
        is_whole = i == 0 ? print_root(printer, root, calls)
                          : walk_calls(printer, call_list_first(calls), &outside);
    }
    return is_whole;
}

static bool print_lane(struct printer *printer, size_t number)
{
    const struct session *session = &printer->command->session;
    const struct lane_result *lane = &session->result.lanes[number];
    struct call root;
    if (!session_root(session, lane, &root))
        return true;
    printer->lane = lane->name;
    put_heading(printer, lane->name);
    return session->splits_by_task ? print_tasks(printer, number, &root)
                                   : print_root(printer, &root, &lane->calls);
}

static bool print_lanes(struct printer *printer)
{
    struct trace_command *command = printer->command;
    bool is_whole = true;
    for (size_t i = 0; i < command->session.result.lane_count && is_whole; i++)
        is_whole = print_lane(printer, i);
    return is_whole;
}

// The levels of a text that grows with the square of how deep calls are, unless they are asked for.
static uint64_t levels_of(const struct trace_command *command)
{
    bool is_limited = command->table_format == TABLE_TEXT &&
                      command->session.reading == READING_RIGHT &&
                      !trace_command_was_given(command, OPTION_DEPTH);
    return is_limited ? LIMIT_INDENTED_LEVELS : UINT64_MAX;
}

static void tell_cut(struct trace_command *command)
{
    diag_warning(&command->diag,
                 "%s: calls more than %d levels deep are left out; --depth N shows N levels, "
                 "--format csv all",
                 command->session.path, LIMIT_INDENTED_LEVELS);
}

// The columns of a table of calls; returns how many there are.
static size_t lay_columns(const struct trace_command *command, bool has_images,
                          struct column shown[COLUMN_COUNT])
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

static enum exit_status report(struct trace_command *command, struct call_list *list,
                               struct inlined_calls *inlined, struct source_lines *lines)
{
    struct out out;
    struct error err;
    struct printer printer = {
        .command = command,
        .lines = lines,
        .inlined = inlined,
        .list = list,
        .out = &out,
        .levels_max = levels_of(command),
    };
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status))
        return status;
    struct image_places images = {0};
    struct column shown[COLUMN_COUNT];
    bool is_table = command->table_format != TABLE_TEXT;
    bool has_images = command->table_format == TABLE_PARQUET;
    size_t count = lay_columns(command, has_images, shown);
    if (is_table && !trace_command_table(command, &printer.table, &out, shown, count, &status))
        return status;
    bool is_whole = !has_images || image_places_init(&images, &command->session.names.images);
    printer.images = has_images ? &images : NULL;
    is_whole = is_whole && print_lanes(&printer);
    image_places_free(&images);
    if (is_table)
        table_end(&printer.table);
    is_whole &= source_places_end(command, lines);
    if (printer.is_cut)
        tell_cut(command);
    if (is_whole && trace_command_has_shown(command, printer.has_shown, &status))
        return trace_command_end(command, &out);
    out_abandon(&out);
    if (is_whole)
        return status;
    error_set(&err, STATUS_MEMORY, "%s: no memory for the call tree", command->session.path);
    return diag_error(&command->diag, &err);
}

// Ends what is open in inlined functions. False: no memory.
static bool end_inlined(const struct session *session, struct inlined_calls *inlined)
{
    bool has_memory = true;
    for (size_t i = 0; i < session->result.lane_count && has_memory; i++) {
        struct lane_result *lane = &session->result.lanes[i];
        const struct node_ref *last = lane->clip.has_last ? &lane->clip.last : &lane->last;
        has_memory = inlined_calls_end(inlined, &lane->calls, last);
        for (size_t task = 0; task < lane->tasks.tasks.count && has_memory; task++)
            has_memory = inlined_calls_end(inlined, &lane->tasks.tasks.items[task].calls, last);
    }
    return has_memory;
}

static enum exit_status report_with_inlined(struct trace_command *command, struct call_list *list,
                                            struct source_lines *lines)
{
    struct inlined_calls inlined;
    const struct call_consumer of_list = call_list_consumer(list);
    enum exit_status status = EXIT_STATUS_FAILED;
    bool has_memory = inlined_calls_init(&inlined, &of_list, &command->session.names, lines);
    const struct call_consumer consumer = inlined_calls_consumer(&inlined);
    if (has_memory && trace_command_pass(command, &consumer, NULL, &status)) {
        has_memory = end_inlined(&command->session, &inlined);
        if (has_memory)
            status = report(command, list, &inlined, lines);
    }
    inlined_calls_free(&inlined);
    return has_memory ? status : trace_command_no_memory(command);
}

enum exit_status report_call_tree(struct trace_command *command)
{
    struct call_list list = {0};
    struct source_lines lines = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    enum exit_status status = EXIT_STATUS_FAILED;
    if (trace_command_open_images(command, &status)) {
        if (command->split_by & SPLIT_INLINES)
            status = report_with_inlined(command, &list, &lines);
        else if (trace_command_pass(command, &consumer, NULL, &status))
            status = report(command, &list, NULL, &lines);
    }
    source_lines_free(&lines);
    call_list_free(&list);
    return status;
}

static const struct option_kinds needed_abilities[] = {
    {OPTION_LINES, TRACE_ADDRESSES, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {0},
};

static enum exit_status run_any(struct trace_command *command, struct options_parser *parser)
{
    bool is_fit =
        !(command->split_by & SPLIT_INLINES) || contexts_split_begin(command, parser, "--inlines");
    return is_fit ? report_call_tree(command) : parser->status;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct trace_command command;
    struct options_parser parser;
    trace_command_begin(&command, self);
    command.own_options = needed_abilities;
    command.root_only_lacks_offset = self->manner == MANNER_TTU;
    enum exit_status status = trace_command_options(&command, &parser, argc, argv, NULL)
                                  ? run_any(&command, &parser)
                                  : parser.status;
    trace_command_free(&command);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "table: indented text (default), of " TEXT_OF(
         LIMIT_INDENTED_LEVELS) " levels unless --depth is given; csv or json"},
    {OPTION_LINES, 0, "lines", NULL, "also show the source lines of calls"},
    {OPTION_INLINES, 0, "inlines", NULL,
     "show inlined functions as calls, with the calls that they make"},
    {ROW_RETURNED_ONLY},
    {ROW_OPEN_FRAMES},
    {0},
};

const struct command_spec calltree_command = {
    .name = "calltree",
    .manner = MANNER_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "which function called which, with entry and exit of each call",
    .description =
        "Prints every call as an indented tree. A line that begins with 'o' is a function, from "
        "its entry to its exit; the line with '-' above it gives the call site and where the "
        "caller continued. Both ends have a time (t, in ticks of the trace), a line (l) or a byte "
        "offset (byte), and a PC. For a function that is clipped to a range, times and lines are "
        "those at the ends of the range.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {"the index", index_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl calltree --image prog.elf --depth 3 run.tarmac\n"
                "trawl calltree hung.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_calltree_command = {
    .name = "tarmac-calltree",
    .manner = MANNER_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options},
                                            {NULL, ttu_no_offsets_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
