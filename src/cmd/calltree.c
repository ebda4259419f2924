// calltree: every call with its place in the trace, indented by depth.
#include "cmd/calltree_walk.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_kinds.h"
#include "cmd/option_rows.h"
#include "cmd/reports.h"
#include "cmd/source_places.h"
#include "cmd/trace_inputs.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"

#include "session/tasks.h"

#include <errno.h>
#include <stdlib.h>

static void put_heading(struct tree_walk *walk, const char *name)
{
    if (walk->printer.command->table_format != TABLE_TEXT || !*name)
        return;
    trace_command_put(walk->printer.command, walk->printer.out, name);
    out_text(walk->printer.out, ":\n");
}

// Prints the calls of a lane, or of its first task.
static bool print_root(struct tree_walk *walk, const struct call *root,
                       const struct call_content *calls)
{
    struct trace_command *command = walk->printer.command;
    struct session *session = &command->session;
    bool is_ttu = session->reading == READING_TTU;
    const char *name = command->no_offsets && is_ttu
                           ? names_of_root(&session->names, root->entry.pc)
                           : names_of(&session->names, root->entry.pc);
    const struct call_level outside = call_level_outside(session, 0);
    const struct call_level level = call_level_of(session, &outside, root->entry.pc, root->how);
    call_level_count(session, &level, root->how);
    if (level.is_shown)
        call_printer_show(&walk->printer, root, 0, name);
    if (session->filter.depth_max == 0 && level.is_shown)
        return true;
    return tree_walk_calls(walk, call_list_first(calls), &level);
}

// The calls of a task are below its outermost function, except for the first task, in which the
// lane begins.
static bool print_tasks(struct tree_walk *walk, size_t number, const struct call *root)
{
    struct session *session = &walk->printer.command->session;
    const struct task_log *log = &session->result.lanes[number].tasks;
    bool is_whole = true;
    for (size_t i = 0; i < log->tasks.count && is_whole; i++) {
        const struct task_name *task = task_names_find(&session->tasks, number, i);
        const struct call_content *calls = &log->tasks.items[i].calls;
        if (!session_takes_task(session, task) || (i && !call_list_first(calls)))
            continue;
        if (walk->printer.command->shows_tasks) {
            walk->printer.task = task->name;
            put_heading(walk, task->name);
        }
        const struct call_level outside = call_level_outside(session, 0);
        is_whole = i == 0 ? print_root(walk, root, calls)
                          : tree_walk_calls(walk, call_list_first(calls), &outside);
    }
    return is_whole;
}

static bool print_lane(struct tree_walk *walk, size_t number)
{
    const struct session *session = &walk->printer.command->session;
    const struct lane_result *lane = &session->result.lanes[number];
    struct call root;
    if (!session_root(session, lane, &root))
        return true;
    walk->printer.lane = lane->name;
    put_heading(walk, lane->name);
    return session->splits_by_task ? print_tasks(walk, number, &root)
                                   : print_root(walk, &root, &lane->calls);
}

static bool print_lanes(struct tree_walk *walk)
{
    struct trace_command *command = walk->printer.command;
    bool is_whole = true;
    for (size_t i = 0; i < command->session.result.lane_count && is_whole; i++)
        is_whole = print_lane(walk, i);
    return is_whole;
}

// The deepest level to show. The size of indented text grows with the square of the depth of calls,
// so it is limited unless more levels are requested.
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

static enum exit_status report(struct trace_command *command, struct call_list *list,
                               struct inlined_calls *inlined, struct source_lines *lines)
{
    struct out out;
    struct error err;
    struct tree_walk walk = {
        .printer = {.command = command, .lines = lines, .out = &out},
        .inlined = inlined,
        .list = list,
        .levels_max = levels_of(command),
    };
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status))
        return status;
    struct image_places images = {0};
    struct column shown[CALLTREE_COLUMNS];
    bool is_table = command->table_format != TABLE_TEXT;
    bool has_images = command->table_format == TABLE_PARQUET;
    size_t count = call_printer_columns(command, has_images, shown);
    if (is_table && !trace_command_table(command, &walk.printer.table, &out, shown, count, &status))
        return status;
    bool is_whole = !has_images || image_places_init(&images, &command->session.names.images);
    walk.printer.images = has_images ? &images : NULL;
    is_whole = is_whole && print_lanes(&walk);
    image_places_free(&images);
    if (is_table)
        table_end(&walk.printer.table);
    is_whole &= source_places_end(command, lines);
    if (walk.is_cut)
        tell_cut(command);
    if (is_whole && trace_command_has_shown(command, walk.printer.has_shown, &status))
        return trace_command_end(command, &out);
    out_abandon(&out);
    if (is_whole)
        return status;
    error_set(&err, STATUS_MEMORY, "%s: no memory for the call tree", command->session.path);
    return diag_error(&command->diag, &err);
}

// Ends open inlined functions. False: no memory.
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
