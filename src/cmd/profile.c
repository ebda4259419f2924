// profile: how often each function was called and how long it took.
#include "flow/profile.h"
#include "cli/values.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_rows.h"
#include "cmd/other_run.h"
#include "cmd/source_places.h"
#include "cmd/trace_pass.h"
#include "query/place_profile.h"
#include "session/hidden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum profile_sort { SORT_SELF, SORT_TOTAL, SORT_COUNT, SORT_ADDRESS, SORT_NAME };

struct profile_request {
    struct command common;
    enum profile_sort sort;
    uint64_t top;
    bool by_place;
    enum place_kind place;   // by_place
    struct command pristine; // copied for the other
};

// --- By line or inlined function (--by) ----------------------------------------------------------

static const struct column line_columns[] = {
    {"Self", "self", COLUMN_TICKS},         {"Self", "self_share", COLUMN_SHARE},
    {"Visits", "visits", COLUMN_U64},       {"Executed", "executed", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS}, {"File", "file", COLUMN_TEXT},
    {"Line", "line", COLUMN_U64},
};

static const struct column function_columns[] = {
    {"Self", "self", COLUMN_TICKS},
    {"Self", "self_share", COLUMN_SHARE},
    {"Self inlined", "self_inlined", COLUMN_TICKS},
    {"With inlined", "with_inlined", COLUMN_TICKS},
    {"With inlined", "with_inlined_share", COLUMN_SHARE},
    {"Executed", "executed", COLUMN_U64},
    {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},
};

static uint64_t figure_of(const struct place_row *row, enum profile_sort sort)
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
    const enum profile_sort sort = *(const enum profile_sort *)context;
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

static void put_line(struct table *table, const struct place_row *row, uint64_t whole)
{
    table_u64(table, row->ticks);
    table_share(table, row->ticks, whole);
    table_u64(table, row->visits);
    table_u64(table, row->executed);
    table_address(table, row->address);
    table_text(table, row->name);
    if (row->name)
        table_u64(table, row->line);
    else
        table_none(table);
}

static void put_function(struct table *table, const struct place_row *row, uint64_t whole)
{
    table_u64(table, row->ticks);
    table_share(table, row->ticks, whole);
    table_u64(table, row->ticks_inlined);
    table_u64(table, row->ticks_with);
    table_share(table, row->ticks_with, whole);
    table_u64(table, row->executed);
    table_address(table, row->address);
    table_text(table, row->name);
}

static enum exit_status put_places(struct profile_request *request, struct place_profile *profile)
{
    struct out out;
    struct table table;
    enum exit_status status = EXIT_STATUS_FAILED;
    bool is_lines = request->place == PLACE_LINE;
    if (!command_output(&request->common, &out, &status))
        return status;
    if (profile->rows.count)
        qsort_r(profile->rows.items, profile->rows.count, sizeof *profile->rows.items,
                compare_places, &request->sort);
    if (!command_table(&request->common, &table, &out, is_lines ? line_columns : function_columns,
                       is_lines ? ARRAY_COUNT(line_columns) : ARRAY_COUNT(function_columns),
                       &status))
        return status;
    for (size_t i = 0; i < profile->rows.count && i < request->top; i++)
        (is_lines ? put_line : put_function)(&table, &profile->rows.items[i], profile->ticks);
    table_end(&table);
    return command_end(&request->common, &out);
}

// Leaves out counts of other functions.
static size_t keep_function(struct command *command, struct pc_count *counts, size_t count)
{
    struct session *session = &command->session;
    uint64_t start;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (session_takes_function(session, names_start_of(&session->names, counts[i].pc, &start)
                                                ? start
                                                : counts[i].pc))
            counts[kept++] = counts[i];
    }
    return kept;
}

static enum exit_status report_places(struct profile_request *request, struct pc_count *counts,
                                      size_t count)
{
    struct command *command = &request->common;
    struct source_lines lines = {0};
    struct place_profile profile = {0};
    enum exit_status status;
    if (command->session.filter.function)
        count = keep_function(command, counts, count);
    if (!command_has_shown(command, count != 0, &status))
        return status;
    bool is_made = place_profile_make(&profile, request->place, counts, count,
                                      &command->session.names, &lines) &&
                   !source_lines_lacked_memory(&lines) && !command->session.names.lacks_memory;
    status = is_made ? put_places(request, &profile) : command_no_memory(command);
    place_profile_free(&profile);
    source_places_end(command, &lines);
    return status;
}

static enum exit_status profile_places(struct profile_request *request)
{
    struct pc_counts counts = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (instruction_counts_add(&request->common, &counts, &status)) {
        struct pc_count *sorted = pc_counts_sorted(&counts);
        status = sorted ? report_places(request, sorted, counts.count)
                        : command_no_memory(&request->common);
        free(sorted);
    }
    pc_counts_free(&counts);
    return status;
}

// Checks the options before the trace is opened, and sets what the command needs. False: reported,
// end with parser->status.
static bool begin_places(struct profile_request *request, struct options_parser *parser)
{
    static const int of_calls[] = {OPTION_DEPTH,     OPTION_HIDE,          OPTION_TASK,
                                   OPTION_TASK_NAME, OPTION_RETURNED_ONLY, OPTION_INDEX};
    for (size_t i = 0; i < ARRAY_COUNT(of_calls); i++) {
        if (command_was_given(&request->common, of_calls[i])) {
            options_error(parser, "--by line and --by inline count instructions: --depth, --hide, "
                                  "--task, --task-name, --returned-only and --index do not apply");
            return false;
        }
    }
    if (request->place == PLACE_LINE && request->sort == SORT_TOTAL) {
        options_error(parser, "--sort total needs functions: a line has nothing inlined into it");
        return false;
    }
    request->common.needs |= TRACE_INSTRUCTIONS;
    request->common.session.index.in_memory = true;
    return true;
}

// --- Two runs (--diff) ---------------------------------------------------------------------------

// A function of either run. Functions are matched by name, those without a name by address.
struct change {
    const char *name;
    uint64_t pc; // in the first run that has it
    uint64_t self[2], total[2], calls[2];
};

VEC(changes, struct change);

static bool add_side(struct changes *changes, struct command *command,
                     const struct profile *profile, int number)
{
    if (!VEC_ROOM(changes, profile->rows.count))
        return false;
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.items[i];
        struct change *change = &changes->items[changes->count++];
        *change =
            (struct change){.name = names_of(&command->session.names, row->pc), .pc = row->pc};
        change->self[number] = row->ticks_self;
        change->total[number] = row->ticks_total;
        change->calls[number] = row->count;
    }
    return true;
}

static int compare_functions(const void *a_item, const void *b_item)
{
    const struct change *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    return order || *a->name ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

static void join(struct changes *changes)
{
    size_t count = 0;
    if (changes->count)
        qsort(changes->items, changes->count, sizeof *changes->items, compare_functions);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *next = &changes->items[i];
        struct change *last = &changes->items[count - (count > 0)];
        if (!count || compare_functions(last, next) != 0) {
            changes->items[count++] = *next;
            continue;
        }
        for (int side = 0; side < 2; side++) {
            last->self[side] += next->self[side];
            last->total[side] += next->total[side];
            last->calls[side] += next->calls[side];
        }
        last->pc = u64_min(last->pc, next->pc);
    }
    changes->count = count;
}

static uint64_t amount_of(const struct change *change, enum profile_sort sort)
{
    const uint64_t *figures = sort == SORT_TOTAL   ? change->total
                              : sort == SORT_COUNT ? change->calls
                                                   : change->self;
    return figures[1] > figures[0] ? figures[1] - figures[0] : figures[0] - figures[1];
}

static int compare_changes(const void *a_item, const void *b_item, void *context)
{
    const struct change *a = a_item, *b = b_item;
    enum profile_sort sort = *(const enum profile_sort *)context;
    int order = 0;
    if (sort == SORT_ADDRESS)
        order = (a->pc > b->pc) - (a->pc < b->pc);
    else if (sort != SORT_NAME)
        order =
            (amount_of(a, sort) < amount_of(b, sort)) - (amount_of(a, sort) > amount_of(b, sort));
    return order ? order : compare_functions(a, b);
}

static const struct column change_columns[] = {
    {"Self A", "self_a", COLUMN_TICKS},
    {"Self B", "self_b", COLUMN_TICKS},
    {"Change", "self_change", COLUMN_CHANGE},
    {"Change", "self_change_share", COLUMN_CHANGE_SHARE},
    {"Total A", "total_a", COLUMN_TICKS},
    {"Total B", "total_b", COLUMN_TICKS},
    {"Change", "total_change", COLUMN_CHANGE},
    {"Change", "total_change_share", COLUMN_CHANGE_SHARE},
    {"Calls A", "calls_a", COLUMN_U64},
    {"Calls B", "calls_b", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_figures(struct table *table, const uint64_t figures[2])
{
    table_u64(table, figures[0]);
    table_u64(table, figures[1]);
    table_change(table, figures[0], figures[1]);
    table_change_share(table, figures[0], figures[1]);
}

static void put_change(struct table *table, const struct change *change, bool has_addresses)
{
    char text[32];
    put_figures(table, change->self);
    put_figures(table, change->total);
    table_u64(table, change->calls[0]);
    table_u64(table, change->calls[1]);
    snprintf(text, sizeof text, has_addresses ? "0x%" PRIx64 : "#%" PRIu64,
             has_addresses ? change->pc & ~UINT64_C(1) : change->pc / 2);
    table_text(table, *change->name ? change->name : text);
}

// Writes the changes to the output of the first. False: reported, end with *status.
static bool put_changes(struct profile_request *request, struct changes *changes, struct out *out,
                        enum exit_status *status)
{
    struct command *command = &request->common;
    struct table table;
    uint64_t shown = 0;
    bool has_addresses = session_can(&command->session, TRACE_ADDRESSES);
    join(changes);
    if (changes->count)
        qsort_r(changes->items, changes->count, sizeof *changes->items, compare_changes,
                &request->sort);
    if (!command_table(command, &table, out, change_columns, ARRAY_COUNT(change_columns), status))
        return false;
    for (size_t i = 0; i < changes->count && shown < request->top; i++) {
        if (!session_takes_function(&command->session, changes->items[i].pc))
            continue;
        put_change(&table, &changes->items[i], has_addresses);
        shown++;
    }
    table_end(&table);
    if (command_has_shown(command, shown || !request->top, status))
        return true;
    out_abandon(out);
    return false;
}

// --- By function ---------------------------------------------------------------------------------

enum {
    OPTION_SORT = OPTION_OWN,
    OPTION_TOP,
    OPTION_PROFILE_BY,
    OPTION_PROFILE_DIFF,
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
static void print_ttu(struct command *command, const struct profile *profile, struct out *out)
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
    command_function_id(table, row->pc);
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
    if (!command_table(&request->common, &table, out, shown_columns, column_count, status))
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
    if (command_has_shown(&request->common, is_something, status))
        return true;
    out_abandon(out);
    return false;
}

static enum exit_status report(struct profile_request *request, struct profile *profile)
{
    struct command *command = &request->common;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_output(command, &out, &status))
        return status;
    bool is_ttu = command->session.reading == READING_TTU;
    if (is_ttu)
        print_ttu(command, profile, &out);
    if (is_ttu || print_table(request, profile, &out, &status))
        status = command_end(command, &out);
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
static bool gather(struct command *command, struct profile *profile, enum exit_status *status)
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

// Makes the profile of the open trace, in the fastest way.
static bool take_profile(struct command *command, struct profile *profile, enum exit_status *status)
{
    bool is_direct = command->session.trace && command->session.trace->kind->direct &&
                     command->session.filter.depth_max == UINT64_MAX &&
                     command->session.keeps_open_calls && !session_hides_any(&command->session);
    return is_direct ? command_profile(command, profile, status) : gather(command, profile, status);
}

static enum exit_status report_both(struct profile_request *request, struct command *other,
                                    const struct profile profiles[2])
{
    struct command *command = &request->common;
    struct changes changes = {0};
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!two_runs_have_functions(command, other, &status) ||
        !command_output(command, &out, &status))
        return status;
    if (!add_side(&changes, command, &profiles[0], 0) ||
        !add_side(&changes, other, &profiles[1], 1)) {
        status = command_no_memory(command);
        out_abandon(&out);
    } else if (put_changes(request, &changes, &out, &status)) {
        status = two_runs_end(command, &out, other);
    }
    free(changes.items);
    return status;
}

static enum exit_status profile_both(struct profile_request *request)
{
    struct command other;
    struct profile profiles[2] = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    other_run_begin(&other, &request->pristine);
    if (take_profile(&request->common, &profiles[0], &status) &&
        command_open_images(&other, &status) && take_profile(&other, &profiles[1], &status))
        status = report_both(request, &other, profiles);
    profile_free(&profiles[0]);
    profile_free(&profiles[1]);
    command_end_one(&other);
    return status;
}

static enum exit_status profile_trace(struct profile_request *request)
{
    struct command *command = &request->common;
    struct profile profile = {0};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_open_images(command, &status))
        return status;
    if (request->by_place)
        return profile_places(request);
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
        command_note_given(&request->common, OPTION_BY);
        return command_option(&request->common, parser, OPTION_BY, match);
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
        return begin_places(request, parser);
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
    const struct command_own own = {&request, take_own};
    command_begin(&request.common, self);
    request.common.own_options = needed_abilities;
    enum exit_status status = command_options(&request.common, &parser, argc, argv, &own) &&
                                      is_consistent(&request, &parser)
                                  ? profile_trace(&request)
                                  : parser.status;
    command_free(&request.common);
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
