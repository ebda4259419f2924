// export: calls for other people's tools.
#include "cmd/export.h"

#include "analysis/call_list.h"
#include "cmd/commands.h"
#include "cmd/reports.h"
#include "cmd/xray_trace.h"

#include <stdlib.h>

// --- What is shown -------------------------------------------------------------------------------

bool export_enter(struct exporter *exporter, uint64_t pc)
{
    struct trace_command *command = exporter->command;
    size_t count = exporter->levels.count;
    if (!VEC_ROOM(&exporter->levels, 1))
        return false;
    struct export_level *level = &exporter->levels.items[exporter->levels.count++];
    const struct export_level *around = count ? &exporter->levels.items[count - 1] : NULL;
    bool is_counted = around && (around->is_inside || !command->function);
    level->depth = is_counted ? around->depth + 1 : !command->function;
    level->is_inside = (around && around->is_inside) ||
                       (command->function != NULL && trace_command_wants_function(command, pc));
    level->is_shown =
        (level->is_inside || !command->function) && level->depth <= command->depth_max;
    return true;
}

// --- Tarmac --------------------------------------------------------------------------------------

// A call that the walk is in, and what it goes on with behind it.
struct open_call {
    call_place next;
    uint64_t exit;
    bool is_open, is_clipped;
};

struct list_walk {
    struct exporter *exporter;
    const struct call_list *list;
    VEC(, struct open_call) stack;
};

static bool enter(struct list_walk *walk, const struct call *call, call_place next)
{
    struct exporter *exporter = walk->exporter;
    if (!VEC_ROOM(&walk->stack, 1) || !export_enter(exporter, call->entry.pc))
        return false;
    walk->stack.items[walk->stack.count++] =
        (struct open_call){next, call->exit.time, call->is_open, call->is_clipped};
    return !exporter->levels.items[exporter->levels.count - 1].is_shown ||
           trace_events_enter(&exporter->events, call->entry.time, call->entry.pc);
}

// Calls of a trace may overlap, and only depth counts: those inside end with the one around.
static call_place leave(struct list_walk *walk)
{
    struct exporter *exporter = walk->exporter;
    const struct open_call *left = &walk->stack.items[--walk->stack.count];
    bool is_shown = exporter->levels.items[--exporter->levels.count].is_shown;
    uint64_t exit = left->exit;
    for (size_t i = 0; i < walk->stack.count; i++)
        exit = u64_min(exit, walk->stack.items[i].exit);
    if (is_shown) {
        trace_events_leave(&exporter->events, exit);
        if (left->is_open)
            trace_events_mark(&exporter->events, "open");
        if (left->is_clipped)
            trace_events_mark(&exporter->events, "clipped");
    }
    return left->next;
}

static bool walk_calls(struct list_walk *walk, const struct call *root, call_place first)
{
    struct listed_call listed;
    bool has_memory = enter(walk, root, 0);
    call_place place = first;
    while (has_memory && walk->stack.count && !out_failed(walk->exporter->out)) {
        if (!place) {
            place = leave(walk);
            continue;
        }
        call_list_read(walk->list, place, &listed);
        has_memory = enter(walk, &listed.call, listed.next_sibling);
        place = listed.first_child;
    }
    return has_memory;
}

static uint64_t first_time(const struct pipeline_result *result)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].has_root)
            first = u64_min(first, result->lanes[i].root.time);
    }
    return first == UINT64_MAX ? 0 : first;
}

static bool write_lanes(struct exporter *exporter, const struct call_list *list)
{
    const struct pipeline_result *result = &exporter->command->result;
    bool has_memory = true;
    for (size_t i = 0; i < result->lane_count && has_memory; i++) {
        const struct lane_result *lane = &result->lanes[i];
        struct list_walk walk = {.exporter = exporter, .list = list};
        struct call root;
        if (!trace_command_root(exporter->command, lane, &root))
            continue;
        trace_events_lane(&exporter->events, 1, i + 1, *lane->name ? lane->name : "core");
        has_memory = walk_calls(&walk, &root, call_list_first(&lane->calls));
        exporter->levels.count = 0;
        free(walk.stack.items);
    }
    return has_memory;
}

static enum exit_status no_memory(struct trace_command *command)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->trace);
    return trace_command_error(command, &err);
}

static enum exit_status export_trace(struct exporter *exporter)
{
    struct trace_command *command = exporter->command;
    struct call_list list = {0};
    const struct call_consumer consumer = call_list_consumer(&list);
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    exporter->out = &out;
    if (trace_command_pass(command, &consumer, NULL, &status) &&
        trace_command_output(command, &out, &status)) {
        trace_events_begin(&exporter->events, &out, &command->names, 0,
                           first_time(&command->result));
        bool has_memory = write_lanes(exporter, &list);
        trace_events_end(&exporter->events);
        if (!has_memory)
            out_abandon(&out);
        status = has_memory ? trace_command_end(command, &out) : no_memory(command);
    }
    call_list_free(&list);
    return status;
}

// --- XRay ----------------------------------------------------------------------------------------

static enum exit_status export_xray(struct exporter *exporter)
{
    struct trace_command *command = exporter->command;
    const struct xray_log *log = &command->xray->log;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    exporter->out = &out;
    if (!trace_command_output(command, &out, &status))
        return status;
    trace_events_begin(&exporter->events, &out, &command->names, log->header.frequency_hz,
                       xray_log_start(log));
    bool is_done = xray_export_events(exporter, &status);
    trace_events_end(&exporter->events);
    if (is_done)
        return trace_command_end(command, &out);
    out_abandon(&out);
    return status;
}

// --- The command ---------------------------------------------------------------------------------

static enum exit_status export_events(struct trace_command *command)
{
    struct exporter exporter = {.command = command};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (trace_command_open_images(command, &status))
        status = command->xray ? export_xray(&exporter) : export_trace(&exporter);
    free(exporter.levels.items);
    return status;
}

static enum exit_status export_csv(struct trace_command *command)
{
    command->table_format = TABLE_CSV;
    return report_call_tree(command);
}

static const struct {
    const char *name;
    enum exit_status (*write)(struct trace_command *command);
} formats[] = {
    {"chrome", export_events},
    {"collapsed", report_collapsed_stacks},
    {"csv", export_csv},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct trace_command command;
    struct options_parser parser;
    size_t format = 0;
    trace_command_begin(&command, self);
    command.writes_tables = false;
    command.takes_xray = true;
    enum exit_status status = EXIT_STATUS_USAGE;
    if (!trace_command_options(&command, &parser, argc, argv, NULL)) {
        status = parser.status;
    } else {
        while (command.format && format < ARRAY_COUNT(formats) &&
               strcmp(command.format, formats[format].name) != 0)
            format++;
        if (format < ARRAY_COUNT(formats))
            status = formats[format].write(&command);
        else
            options_error(&parser, "'--format': '%s': expected chrome, collapsed or csv",
                          command.format);
    }
    trace_command_free(&command);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT",
     "chrome: trace events for Perfetto, chrome://tracing and speedscope (default); collapsed: a "
     "line for each stack, for flame graphs; csv: a row for each call"},
    {OPTION_OPEN_FRAMES, 0, "open-frames", NULL,
     "show calls that are still active at the end of the trace (of an XRay log they always are)"},
    {0},
};

const struct command_spec export_command = {
    .name = "export",
    .manner = MANNER_TRAWL,
    .summary = "calls in formats of other people's tools",
    .description =
        "Times of trace events count from the first one, in microseconds with nanoseconds behind "
        "the "
        "point; a tick is a microsecond where the trace does not tell how long it lasts. Arguments "
        "and events of XRay logs are kept.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {"how to read the trace", trace_options},
                                            {"the index", index_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples =
        "trawl export --image prog.elf -o run.json run.tarmac\n"
        "trawl export --image server --format collapsed xray-log.server.x | inferno-flamegraph "
        "> run.svg\n",
    .run = run,
};
