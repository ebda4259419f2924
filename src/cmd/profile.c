// profile: how often each function was called and how long it took.
#include "flow/profile.h"
#include "cmd/option_kinds.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"

#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/profile_diff.h"
#include "cmd/profile_places.h"
#include "cmd/trace_inputs.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "cmd/two_runs.h"
#include "session/hidden.h"

#include <stdlib.h>

enum {
    OPTION_SORT = OPTION_OWN,
    OPTION_TOP,
    OPTION_PROFILE_BY,
    OPTION_PROFILE_DIFF,
};

struct profile_request {
    struct trace_command common;
    enum profile_sort sort;
    uint64_t top;
    bool by_place;
    enum place_kind place;         // by_place
    struct trace_command pristine; // copied for the other
};

static bool sort_named(const char *name, enum profile_sort *key)
{
    static const char *const names[] = {"self", "total", "count", "address", "name"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *key = (enum profile_sort)i;
            return true;
        }
    }
    return false;
}

static int by_key(const void *a_item, const void *b_item, void *context)
{
    const struct profile_row *a = a_item, *b = b_item;
    enum profile_sort key = *(const enum profile_sort *)context;
    uint64_t a_figure = key == SORT_SELF    ? a->ticks_self
                        : key == SORT_TOTAL ? a->ticks_total
                                            : a->count;
    uint64_t b_figure = key == SORT_SELF    ? b->ticks_self
                        : key == SORT_TOTAL ? b->ticks_total
                                            : b->count;
    int order = key == SORT_NAME ? strcmp(a->name, b->name) : 0;
    if (key != SORT_NAME && key != SORT_ADDRESS)
        order = (a_figure < b_figure) - (a_figure > b_figure);
    order = order ? order : (a->pc > b->pc) - (a->pc < b->pc);
    return order || !a->task ? order : strcmp(a->task, b->task);
}

static void pad_after(struct out *out, unsigned written)
{
    if (written < 11)
        out_pad(out, 11 - written);
    out_byte(out, ' ');
}

// The reference's table. Its time of an activation counts both ends.
static void print_ttu(struct trace_command *command, const struct profile *profile, struct out *out)
{
    out_text(out, "Address     Count       Time        Function name\n");
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.items[i];
        out_text(out, "0x");
        pad_after(out, 2 + out_hex(out, row->pc, 1));
        pad_after(out, out_u64(out, row->count));
        pad_after(out, out_u64(out, row->ticks_all + row->count));
        out_text(out, names_of(&command->session.names, row->pc));
        out_byte(out, '\n');
    }
}

// The first is left out if tasks are not distinguished.
static const struct column columns[] = {
    {"Task", "task", COLUMN_TEXT},          {"Self", "self", COLUMN_TICKS},
    {"Self", "self_share", COLUMN_SHARE},   {"Total", "total", COLUMN_TICKS},
    {"Total", "total_share", COLUMN_SHARE}, {"Calls", "calls", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS}, {"Function", "function", COLUMN_TEXT},
};

static const struct column id_columns[] = {
    {"Self", "self", COLUMN_TICKS},
    {"Self", "self_seconds", COLUMN_SECONDS},
    {"Self", "self_share", COLUMN_SHARE},
    {"Total", "total", COLUMN_TICKS},
    {"Total", "total_seconds", COLUMN_SECONDS},
    {"Total", "total_share", COLUMN_SHARE},
    {"Calls", "calls", COLUMN_U64},
    {"Id", "function_id", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void print_row(struct table *table, const struct profile_row *row, uint64_t whole,
                      bool shows_task)
{
    if (shows_task)
        table_text(table, row->task);
    table_u64(table, row->ticks_self);
    table_share(table, row->ticks_self, whole);
    table_u64(table, row->ticks_total);
    table_share(table, row->ticks_total, whole);
    table_u64(table, row->count);
    table_address(table, row->pc & ~UINT64_C(1));
    table_text(table, *row->name ? row->name : NULL);
}

static void print_id_row(struct table *table, const struct profile_row *row, uint64_t whole,
                         uint64_t hz)
{
    table_u64(table, row->ticks_self);
    table_seconds(table, row->ticks_self, hz);
    table_share(table, row->ticks_self, whole);
    table_u64(table, row->ticks_total);
    table_seconds(table, row->ticks_total, hz);
    table_share(table, row->ticks_total, whole);
    table_u64(table, row->count);
    trace_command_function_id(table, row->pc);
    table_text(table, row->name);
}

// False: reported, `out` is abandoned, *status is what to end with.
static bool print_table(struct profile_request *request, struct profile *profile, struct out *out,
                        enum exit_status *status)
{
    struct table table;
    const struct trace *trace = request->common.session.trace;
    bool has_ids = !trace_can(trace, TRACE_ADDRESSES);
    uint64_t whole = 0, shown = 0;
    bool is_something = false, shows_task = request->common.shows_tasks;
    const struct column *shown_columns = has_ids ? id_columns : columns + !shows_task;
    size_t column_count =
        has_ids ? ARRAY_COUNT(id_columns) : ARRAY_COUNT(columns) - (size_t)!shows_task;
    for (size_t i = 0; i < profile->rows.count; i++) {
        whole += profile->rows.items[i].ticks_self;
        profile->rows.items[i].name =
            names_of(&request->common.session.names, profile->rows.items[i].pc);
    }
    if (profile->rows.count)
        qsort_r(profile->rows.items, profile->rows.count, sizeof *profile->rows.items, by_key,
                &request->sort);
    if (!trace_command_table(&request->common, &table, out, shown_columns, column_count, status))
        return false;
    for (size_t i = 0; i < profile->rows.count && !(is_something && shown >= request->top); i++) {
        const struct profile_row *row = &profile->rows.items[i];
        if (!session_takes_function(&request->common.session, row->pc))
            continue;
        is_something = true;
        if (shown >= request->top)
            break;
        if (has_ids)
            print_id_row(&table, row, whole, trace_frequency_hz(trace));
        else
            print_row(&table, row, whole, shows_task);
        shown++;
    }
    table_end(&table);
    if (trace_command_has_shown(&request->common, is_something, status))
        return true;
    out_abandon(out);
    return false;
}

static enum exit_status report(struct profile_request *request, struct profile *profile)
{
    struct trace_command *command = &request->common;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status))
        return status;
    bool is_ttu = command->session.reading == READING_TTU;
    if (is_ttu)
        print_ttu(command, profile, &out);
    if (is_ttu || print_table(request, profile, &out, &status))
        status = trace_command_end(command, &out);
    return status;
}

static int compare_tasks(const void *a_item, const void *b_item)
{
    const struct context_lane *a = a_item, *b = b_item;
    return strcmp(a->task, b->task);
}

// Adds the profile of a task, in all lanes.
static enum status add_task(struct profile *profile, const struct contexts *contexts,
                            const struct context_lane *lanes, size_t lane_count, uint64_t depth_max,
                            struct error *err)
{
    struct profile of_task;
    VEC(, uint32_t) roots = {0};
    bool has_memory = true;
    for (size_t i = 0; i < lane_count && has_memory; i++) {
        has_memory = VEC_ROOM(&roots, lanes[i].root_count);
        for (size_t root = 0; root < lanes[i].root_count && has_memory; root++)
            roots.items[roots.count++] = contexts->roots.items[lanes[i].first_root + root];
    }
    enum status status = has_memory ? profile_make(&of_task, &contexts->tree, roots.items,
                                                   roots.count, depth_max, err)
                                    : error_set(err, STATUS_MEMORY, "no memory for the profile");
    free(roots.items);
    if (status != STATUS_OK)
        return status;
    if (!VEC_ROOM(&profile->rows, of_task.rows.count))
        status = error_set(err, STATUS_MEMORY, "no memory for the profile");
    for (size_t i = 0; i < of_task.rows.count && status == STATUS_OK; i++) {
        of_task.rows.items[i].task = lanes->task;
        profile->rows.items[profile->rows.count++] = of_task.rows.items[i];
    }
    profile_free(&of_task);
    return status;
}

// Makes the profile of each task, or of all together.
static enum status make_profile(struct profile *profile, struct contexts *contexts, bool by_task,
                                uint64_t depth_max, struct error *err)
{
    struct context_lane *lanes = contexts->lanes.items;
    enum status status = STATUS_OK;
    *profile = (struct profile){0};
    if (!by_task)
        return profile_make(profile, &contexts->tree, contexts->roots.items, contexts->roots.count,
                            depth_max, err);
    if (contexts->lanes.count)
        qsort(lanes, contexts->lanes.count, sizeof *lanes, compare_tasks);
    for (size_t i = 0, end; i < contexts->lanes.count && status == STATUS_OK; i = end) {
        for (end = i + 1; end < contexts->lanes.count && !compare_tasks(&lanes[i], &lanes[end]);)
            end++;
        status = add_task(profile, contexts, lanes + i, end - i, depth_max, err);
    }
    return status;
}

// From calling contexts.
static bool gather(struct trace_command *command, struct profile *profile, enum exit_status *status)
{
    struct contexts contexts = {0};
    struct error err;
    bool is_done = contexts_gather(&contexts, command, false, NULL, status);
    if (is_done && make_profile(profile, &contexts, command->shows_tasks,
                                command->session.filter.depth_max, &err) != STATUS_OK) {
        *status = diag_error(&command->diag, &err);
        is_done = false;
    }
    contexts_free(&contexts);
    return is_done;
}

static struct profile_places places_of(const struct profile_request *request)
{
    return (struct profile_places){request->place, request->sort, request->top};
}

// Makes the profile of the open trace, in the fastest way.
static bool take_profile(struct trace_command *command, struct profile *profile,
                         enum exit_status *status)
{
    bool is_direct = command->session.trace && command->session.trace->kind->profile &&
                     command->session.filter.depth_max == UINT64_MAX &&
                     command->session.keeps_open_calls && !session_hides_any(&command->session);
    return is_direct ? trace_command_profile(command, profile, status)
                     : gather(command, profile, status);
}

// --- Comparison of two runs ----------------------------------------------------------------------

static enum exit_status report_both(const struct profile_request *request,
                                    const struct profile_side sides[2])
{
    const struct profile_diff wanted = {request->sort, request->top};
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!two_runs_have_functions(sides[0].command, sides[1].command, &status) ||
        !trace_command_output(sides[0].command, &out, &status) ||
        !profile_diff_write(&wanted, sides, &out, &status))
        return status;
    return two_runs_end(sides[0].command, &out, sides[1].command);
}

static enum exit_status profile_both(struct profile_request *request)
{
    struct trace_command *command = &request->common, other;
    struct profile profiles[2] = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    other_run_begin(&other, &request->pristine);
    if (take_profile(command, &profiles[0], &status) &&
        trace_command_open_images(&other, &status) && take_profile(&other, &profiles[1], &status)) {
        const struct profile_side sides[2] = {{command, &profiles[0]}, {&other, &profiles[1]}};
        status = report_both(request, sides);
    }
    profile_free(&profiles[0]);
    profile_free(&profiles[1]);
    trace_command_end_one(&other);
    return status;
}

static enum exit_status profile_trace(struct profile_request *request)
{
    struct trace_command *command = &request->common;
    struct profile profile = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_open_images(command, &status))
        return status;
    if (request->by_place) {
        const struct profile_places wanted = places_of(request);
        return profile_places(&wanted, command);
    }
    if (other_run_path(&request->common))
        return profile_both(request);
    if (take_profile(command, &profile, &status))
        status = report(request, &profile);
    profile_free(&profile);
    return status;
}

static int take_by(struct profile_request *request, struct options_parser *parser,
                   const struct option_match *match)
{
    bool is_line = strcmp(match->value, "line") == 0;
    if (strcmp(match->value, "task") == 0) {
        trace_command_note_given(&request->common, OPTION_BY);
        return trace_command_option(&request->common, parser, OPTION_BY, match);
    }
    if (!is_line && strcmp(match->value, "inline") != 0)
        return options_bad_value(parser, match, "task, line or inline");
    request->by_place = true;
    request->place = is_line ? PLACE_LINE : PLACE_FUNCTION;
    return OPTION_END;
}

static int take_own(void *self, struct options_parser *parser, int option,
                    const struct option_match *match)
{
    struct profile_request *request = self;
    if (option == OPTION_SORT)
        return sort_named(match->value, &request->sort)
                   ? OPTION_END
                   : options_bad_value(parser, match, "self, total, count, address or name");
    if (option == OPTION_PROFILE_BY)
        return take_by(request, parser, match);
    if (option == OPTION_PROFILE_DIFF)
        return other_run_take(&request->common, parser, match);
    return parse_u64(match->value, &request->top)
               ? OPTION_END
               : options_bad_value(parser, match, "a number of rows");
}

// Whether the options can be combined. False: reported.
static bool is_consistent(struct profile_request *request, struct options_parser *parser)
{
    const struct profile_places wanted = places_of(request);
    request->pristine = request->common;
    if (other_run_path(&request->common) && (request->by_place || request->common.shows_tasks)) {
        options_error(parser, "--diff compares functions: it cannot be combined with --by");
        return false;
    }
    if (other_run_path(&request->common) && !two_runs_are_meant(&request->common, parser))
        return false;
    if (!request->by_place)
        return true;
    if (!request->common.session.splits_by_task)
        return profile_places_begin(&wanted, &request->common, parser);
    options_error(parser, "--by line and --by inline do not tell tasks apart");
    return false;
}

static const struct option_kinds needed_abilities[] = {
    {OPTION_PROFILE_BY, TRACE_TASKS, 0}, // lines, inlined functions and tasks need instructions
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct profile_request request = {.top = UINT64_MAX};
    struct options_parser parser;
    const struct trace_command_own own = {&request, take_own};
    trace_command_begin(&request.common, self);
    request.common.own_options = needed_abilities;
    enum exit_status status = trace_command_options(&request.common, &parser, argc, argv, &own) &&
                                      is_consistent(&request, &parser)
                                  ? profile_trace(&request)
                                  : parser.status;
    trace_command_free(&request.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_SORT, 0, "sort", "KEY", "order by self (default), total, count, address or name"},
    {OPTION_TOP, 0, "top", "N", "only the first N rows"},
    {OPTION_PROFILE_BY, 0, "by", "WHAT",
     "task: tell the tasks of an operating system apart, by their stacks; line: a row for each "
     "source line; inline: a row for each function, inlined ones separately"},
    {OPTION_PROFILE_DIFF, 0, "diff", "OTHER",
     "compare with the profile of another trace, B: the functions that changed most come first"},
    {ROW_FORMAT},
    {ROW_RETURNED_ONLY},
    {ROW_OPEN_FRAMES},
    {0},
};

const struct command_spec profile_command = {
    .name = "profile",
    .manner = MANNER_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "how often each function was called and how long it took",
    .description =
        "Lists each function with the time spent in it and the number of its calls. Self is the "
        "time spent in the function's own instructions, in ticks of the trace; Total also "
        "includes the functions that it called. Time in a function that calls itself counts once "
        "in its total.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_name_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {"the index", index_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl profile --image prog.elf run.tarmac\n"
                "trawl profile --top 20 --format csv run.tarmac\n"
                "trawl profile --image prog.elf good.tarmac --diff bad.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_profile_command = {
    .name = "tarmac-profile",
    .manner = MANNER_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options},
                                            {NULL, ttu_no_offsets_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
