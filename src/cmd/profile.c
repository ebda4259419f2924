// profile: how often each function was called and how long it took; by function, by task, by
// caller, by source line or inlined function (--by), or compared with other traces (--diff).
#include "cmd/profile.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "session/shown.h"

#include <stdlib.h>

enum {
    OPTION_SORT = OPTION_OWN,
    OPTION_TOP,
    OPTION_PROFILE_BY,
    OPTION_PROFILE_DIFF,
    OPTION_PROFILE_LATENCY,
};

static const char *const sort_names[] = {"self", "total", "count", "address", "name", NULL};

// --- By line or inlined function (--by) ----------------------------------------------------------

struct place_cells {
    uint64_t self, self_inlined, with_inlined, all, visits, executed, address;
    const char *name; // of the file or function
    const uint64_t *line;
};

#define VALUE(name) FIELD_VALUE(struct place_cells, name)
#define OF(name) FIELD_OF(struct place_cells, name)

static const struct field line_fields[] = {
    {"Self", "self", COLUMN_TICKS, VALUE(self)},
    {"Self", "self_share", COLUMN_SHARE, VALUE(self), OF(all)},
    {"Visits", "visits", COLUMN_U64, VALUE(visits)},
    {"Executed", "executed", COLUMN_U64, VALUE(executed)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"File", "file", COLUMN_TEXT, VALUE(name)},
    {"Line", "line", COLUMN_U64, VALUE(line)},
};

static const struct field inline_fields[] = {
    {"Self", "self", COLUMN_TICKS, VALUE(self)},
    {"Self", "self_share", COLUMN_SHARE, VALUE(self), OF(all)},
    {"Self inlined", "self_inlined", COLUMN_TICKS, VALUE(self_inlined)},
    {"With inlined", "with_inlined", COLUMN_TICKS, VALUE(with_inlined)},
    {"With inlined", "with_inlined_share", COLUMN_SHARE, VALUE(with_inlined), OF(all)},
    {"Executed", "executed", COLUMN_U64, VALUE(executed)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
};
#undef VALUE
#undef OF

static uint64_t figure_of(const struct place_row *row, unsigned sort)
{
    return sort == SORT_SELF    ? row->ticks
           : sort == SORT_TOTAL ? row->ticks_with
           : sort == SORT_COUNT ? row->executed
                                : 0;
}

// Rows are in the order of name and line.
static int compare_places(const void *a_item, const void *b_item, void *context)
{
    const struct place_row *a = a_item, *b = b_item;
    const unsigned sort = *(const unsigned *)context;
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

static bool put_places(struct profile_request *request, struct place_profile *profile)
{
    struct command *command = &request->common;
    bool is_lines = request->place == PLACE_LINE;
    if (profile->rows.count)
        qsort_r(profile->rows.items, profile->rows.count, sizeof *profile->rows.items,
                compare_places, &request->sort);
    if (!command_fields(command, is_lines ? line_fields : inline_fields,
                        is_lines ? ARRAY_COUNT(line_fields) : ARRAY_COUNT(inline_fields), 0))
        return false;
    for (size_t i = 0; i < profile->rows.count && i < request->top; i++) {
        const struct place_row *row = &profile->rows.items[i];
        const uint64_t line = row->line;
        command_row(command,
                    &(struct place_cells){.self = row->ticks,
                                          .self_inlined = row->ticks_inlined,
                                          .with_inlined = row->ticks_with,
                                          .all = profile->ticks,
                                          .visits = row->visits,
                                          .executed = row->executed,
                                          .address = row->address,
                                          .name = row->name,
                                          .line = row->name ? &line : NULL},
                    NULL);
    }
    return true;
}

// Counts instructions by place, without those of other functions than the requested one.
static bool report_places(struct profile_request *request)
{
    struct command *command = &request->common;
    struct session *session = &command->session;
    struct pc_counts counts = {0};
    struct source_lines lines = {0};
    struct place_profile profile = {0};
    struct pc_count *sorted = NULL;
    bool is_done = instruction_counts_add(command, &counts);
    if (is_done && !(sorted = pc_counts_sorted(&counts)))
        is_done = command_no_memory(command);
    size_t kept = 0;
    for (size_t i = 0; is_done && i < counts.count; i++) {
        uint64_t start;
        if (!session->filter.function ||
            session_takes_function(session, names_start_of(&session->names, sorted[i].pc, &start)
                                                ? start
                                                : sorted[i].pc))
            sorted[kept++] = sorted[i];
    }
    if (is_done && command_require_shown(command, kept != 0)) {
        is_done =
            place_profile_make(&profile, request->place, sorted, kept, &session->names, &lines) &&
                    !source_lines_lacked_memory(&lines) && !session->names.lacks_memory
                ? put_places(request, &profile)
                : command_no_memory(command);
        place_profile_free(&profile);
        source_places_end(command, &lines);
    } else {
        is_done = false;
    }
    free(sorted);
    pc_counts_free(&counts);
    return is_done;
}

// --- By function ---------------------------------------------------------------------------------

// Bits of field.when.
enum { BY_TASK = 1, WITH_ADDRESSES = 2, WITH_IDS = 4, BY_CALLER = 8, WITH_GUESSES = 16 };

struct function_cells {
    const char *task, *name, *caller;
    uint64_t self, total, all, calls, guesses, hz;
    const uint64_t *id; // or address
};

#define VALUE(name) FIELD_VALUE(struct function_cells, name)
#define OF(name) FIELD_OF(struct function_cells, name)

static const struct field fields[] = {
    {"Task", "task", COLUMN_TEXT, VALUE(task), .when = BY_TASK | WITH_ADDRESSES},
    {"Self", "self", COLUMN_TICKS, VALUE(self)},
    {"Self", "self_seconds", COLUMN_SECONDS, VALUE(self), OF(hz), .when = WITH_IDS},
    {"Self", "self_share", COLUMN_SHARE, VALUE(self), OF(all)},
    {"Total", "total", COLUMN_TICKS, VALUE(total)},
    {"Total", "total_seconds", COLUMN_SECONDS, VALUE(total), OF(hz), .when = WITH_IDS},
    {"Total", "total_share", COLUMN_SHARE, VALUE(total), OF(all)},
    {"Calls", "calls", COLUMN_U64, VALUE(calls)},
    {"Guesses", "guesses", COLUMN_U64, VALUE(guesses), .when = WITH_GUESSES},
    {"Address", "address", COLUMN_ADDRESS, VALUE(id), .when = WITH_ADDRESSES},
    {"Id", "function_id", COLUMN_U64, VALUE(id), .when = WITH_IDS},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
    {"Caller", "caller", COLUMN_TEXT, VALUE(caller), .when = BY_CALLER},
};

static int by_key(const void *a_item, const void *b_item, void *context)
{
    const struct profile_row *a = a_item, *b = b_item;
    unsigned key = *(const unsigned *)context;
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
    order = order || !a->task ? order : strcmp(a->task, b->task);
    return order ? order : (a->caller > b->caller) - (a->caller < b->caller);
}

static void pad_after(struct out *out, unsigned written)
{
    if (written < 11)
        out_pad(out, 11 - written);
    out_byte(out, ' ');
}

// The reference's table. Its time of an activation counts both ends.
static void put_ttu(struct command *command, const struct profile *profile)
{
    struct out *out = &command->out;
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

static bool put_functions(struct profile_request *request, struct profile *profile)
{
    struct command *command = &request->common;
    const struct trace *trace = command->session.trace;
    bool has_ids = !trace_can(trace, TRACE_ADDRESSES), is_something = false;
    uint64_t all = 0, shown = 0, guesses = 0;
    for (size_t i = 0; i < profile->rows.count; i++) {
        struct profile_row *row = &profile->rows.items[i];
        all += row->ticks_self;
        guesses += row->guesses;
        row->name = names_of(&command->session.names, row->pc);
    }
    if (profile->rows.count)
        qsort_r(profile->rows.items, profile->rows.count, sizeof *profile->rows.items, by_key,
                &request->sort);
    if (!command_fields(command, fields, ARRAY_COUNT(fields),
                        (has_ids ? WITH_IDS : WITH_ADDRESSES) |
                            (command->shows_tasks ? BY_TASK : 0) |
                            (request->by_caller ? BY_CALLER : 0) | (guesses ? WITH_GUESSES : 0)))
        return false;
    for (size_t i = 0; i < profile->rows.count && !(is_something && shown >= request->top); i++) {
        const struct profile_row *row = &profile->rows.items[i];
        uint64_t id = row->pc & ~UINT64_C(1);
        char caller[NAMES_ADDRESS_BYTES];
        if (!session_takes_function(&command->session, row->pc))
            continue;
        is_something = true;
        if (shown++ >= request->top)
            break;
        command_row(
            command,
            &(struct function_cells){
                .task = row->task,
                .caller = !request->by_caller || row->caller == PROFILE_NO_CALLER
                              ? NULL
                              : names_or_address(&command->session.names, row->caller, caller),
                .name = *row->name || has_ids ? row->name : NULL,
                .self = row->ticks_self,
                .total = row->ticks_total,
                .all = all,
                .calls = row->count,
                .guesses = row->guesses,
                .hz = has_ids ? trace_frequency_hz(trace) : 0,
                .id = has_ids ? command_function_id(row->pc, &id) : &id},
            NULL);
    }
    return command_require_shown(command, is_something);
}

static int compare_tasks(const void *a_item, const void *b_item)
{
    const struct context_lane *a = a_item, *b = b_item;
    return strcmp(a->task, b->task);
}

// Adds the profile of a task, in all lanes.
static enum status add_task(const struct profile_request *request, struct profile *profile,
                            const struct contexts *contexts, const struct context_lane *lanes,
                            size_t lane_count, struct error *err)
{
    const uint64_t depth_max = request->common.session.filter.depth_max;
    struct profile of_task;
    VEC(, uint32_t) roots = {0};
    bool has_memory = true;
    for (size_t i = 0; i < lane_count && has_memory; i++) {
        has_memory = VEC_ROOM(&roots, lanes[i].root_count);
        for (size_t root = 0; root < lanes[i].root_count && has_memory; root++)
            roots.items[roots.count++] = contexts->roots.items[lanes[i].first_root + root];
    }
    enum status status = has_memory ? profile_make(&of_task, &contexts->tree, roots.items,
                                                   roots.count, depth_max, request->by_caller, err)
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

bool profile_take(const struct profile_request *request, struct command *command,
                  struct build_functions *builds, struct profile *profile)
{
    struct session *session = &command->session;
    const uint64_t depth_max = session->filter.depth_max;
    struct contexts contexts = {0};
    struct error err;
    enum status status = STATUS_OK;
    if (session->trace && session->trace->kind->direct && depth_max == UINT64_MAX &&
        session->keeps_open_calls && !session_hides_any(session) && !request->by_caller && !builds)
        return command_profile(command, profile);
    bool is_done = contexts_gather(&contexts, command, false, NULL);
    struct context_lane *lanes = contexts.lanes.items;
    if (is_done && builds &&
        !build_functions_fold(builds, &contexts.tree, contexts.roots.items, contexts.roots.count))
        is_done = command_no_memory(command);
    if (is_done && !command->shows_tasks) {
        status = profile_make(profile, &contexts.tree, contexts.roots.items, contexts.roots.count,
                              depth_max, request->by_caller, &err);
    } else if (is_done) {
        if (contexts.lanes.count)
            qsort(lanes, contexts.lanes.count, sizeof *lanes, compare_tasks);
        for (size_t i = 0, end; i < contexts.lanes.count && status == STATUS_OK; i = end) {
            for (end = i + 1; end < contexts.lanes.count && !compare_tasks(&lanes[i], &lanes[end]);)
                end++;
            status = add_task(request, profile, &contexts, lanes + i, end - i, &err);
        }
    }
    contexts_free(&contexts);
    return is_done && (status == STATUS_OK || command_fail(command, &err));
}

static bool report(void *self)
{
    struct profile_request *request = self;
    struct command *command = &request->common;
    struct profile profile = {0};
    if (request->by_place)
        return report_places(request);
    if (other_run_path(command))
        return profile_report_runs(request);
    bool is_done = profile_take(request, command, NULL, &profile);
    if (is_done && command->session.reading == READING_TTU) {
        is_done = command_output(command);
        if (is_done)
            put_ttu(command, &profile);
    } else {
        is_done = is_done && put_functions(request, &profile);
    }
    profile_free(&profile);
    return is_done;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct profile_request *request = self;
    switch (option) {
    case OPTION_SORT:
        return options_choice(parser, match, sort_names, "self, total, count, address or name",
                              &request->sort);
    case OPTION_TOP:
        return parse_u64(match->value, &request->top)
                   ? OPTION_END
                   : options_bad_value(parser, match, "a number of rows");
    case OPTION_PROFILE_LATENCY: // shortened, or it would not have come here
        options_error(parser, "--latency has to be written out");
        return OPTION_STOP;
    case OPTION_PROFILE_DIFF:
        return other_run_take_next(&request->common, parser, match);
    }
    if (strcmp(match->value, "caller") == 0) {
        request->by_caller = true;
        return OPTION_END;
    }
    if (strcmp(match->value, "task") == 0) {
        command_note_given(&request->common, OPTION_BY);
        return command_option(&request->common, parser, OPTION_BY, match);
    }
    bool is_line = strcmp(match->value, "line") == 0;
    if (!is_line && strcmp(match->value, "inline") != 0)
        return options_bad_value(parser, match, "task, caller, line or inline");
    request->by_place = true;
    request->place = is_line ? PLACE_LINE : PLACE_FUNCTION;
    return OPTION_END;
}

static bool check(void *self, struct options_parser *parser)
{
    static const int of_calls[] = {OPTION_DEPTH,     OPTION_HIDE,          OPTION_TASK,
                                   OPTION_TASK_NAME, OPTION_RETURNED_ONLY, OPTION_INDEX};
    struct profile_request *request = self;
    struct command *command = &request->common;
    request->pristine = *command;
    if (other_run_path(command) && (request->by_place || command->shows_tasks))
        return options_refuse(parser, "--diff compares functions: it cannot be combined with --by "
                                      "task, line or inline");
    if (command->others.count >= LIMIT_COMPARED_RUNS)
        return options_refuse(parser, "--diff compares with at most 6 other traces");
    if (other_run_path(command) && !runs_are_meant(command, parser))
        return false;
    command->needs |= command->shows_tasks ? TRACE_TASKS : 0;
    if (!request->by_place)
        return true;
    if (request->by_caller)
        return options_refuse(parser, "--by caller is about calls: it cannot be combined with --by "
                                      "line or --by inline");
    if (command->session.splits_by_task)
        return options_refuse(parser, "--by line and --by inline do not tell tasks apart");
    for (size_t i = 0; i < ARRAY_COUNT(of_calls); i++) {
        if (command_was_given(command, of_calls[i]))
            return options_refuse(parser,
                                  "--by line and --by inline count instructions: --depth, --hide, "
                                  "--task, --task-name, --returned-only and --index do not apply");
    }
    if (request->place == PLACE_LINE && request->sort == SORT_TOTAL)
        return options_refuse(parser,
                              "--sort total needs functions: a line has nothing inlined into it");
    command->needs |= TRACE_INSTRUCTIONS;
    command->session.index.in_memory = true;
    return true;
}

static const struct option_need option_needs[] = {
    {OPTION_RETURNED_ONLY, TRACE_CALLS, 0},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct profile_request request = {.top = UINT64_MAX};
    for (int i = 0; self->option_set == OPTIONS_TRAWL && i < argc; i++) {
        if (strcmp(argv[i], "--latency") == 0) {
            struct command_spec latency = profile_latency_command;
            latency.host = self->host;
            return latency.run(&latency, argc, argv);
        }
    }
    command_begin(&request.common, self);
    request.common.own_options = option_needs;
    return command_run(&request.common, argc, argv,
                       &(struct command_steps){&request, take, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_SORT, 0, "sort", "KEY", "order by self (default), total, count, address or name"},
    {OPTION_TOP, 0, "top", "N", "only the first N rows"},
    {OPTION_PROFILE_BY, 0, "by", "WHAT",
     "task: tell the tasks of an operating system apart, by their stacks; caller: a row for each "
     "function and caller; line: a row for each source line; inline: a row for each function, "
     "inlined ones separately"},
    {OPTION_PROFILE_LATENCY, 0, "latency", NULL,
     "instead, for each function: shortest, median, 90 %, 99 % and longest time of its calls, and "
     "where the longest began, with the options of 'trawl calls'"},
    {OPTION_PROFILE_DIFF, 0, "diff", "OTHER",
     "compare with the profile of another trace, B (again: C, up to G): the functions that changed "
     "most come first; with --other-image, functions are matched across builds"},
    {ROW_FORMAT},
    {ROW_WIDE},
    {ROW_RETURNED_ONLY},
    {0},
};

const struct command_spec profile_command = {
    .name = "profile",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CONTEXTS,
    .describe_input = trace_inputs_describe,
    .summary = "how often each function was called and how long it took",
    .description =
        "Lists each function with the time spent in it and the number of its calls. Self is the "
        "time spent in the function's own instructions, in ticks of the trace; Total also "
        "includes the functions that it called. Time in a function that calls itself counts once "
        "in its total.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_name_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {NULL, open_frames_options},
                                            {"the index", index_options},
                                            {"traces in several files", files_options},
                                            {NULL, other_files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl profile --image prog.elf run.tarmac\n"
                "trawl profile --top 20 --format csv run.tarmac\n"
                "trawl profile --image prog.elf --by caller --function memcpy run.tarmac\n"
                "trawl profile --image prog.elf good.tarmac --diff bad.tarmac\n"
                "trawl profile --image old.elf old.tarmac --diff new.tarmac --other-image "
                "new.elf\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_profile_command = {
    .name = "tarmac-profile",
    .option_set = OPTIONS_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options},
                                            {NULL, ttu_no_offsets_options},
                                            {0}},
    .positionals = ttu_trace_positional,
    .run = run,
};
