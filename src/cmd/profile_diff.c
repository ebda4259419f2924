// profile --diff: the functions of several runs side by side, those that changed most first.
//
// Functions are matched by name, those without a name by address. Of several builds of a program
// (--other-image), a function is what it is in the source (diff/build_functions.h); where a run has
// several of one name, they are told apart by their files; and one that only the first has is the
// same as one that only another has if it begins at the same line of the same file: it was renamed.
#include "cmd/profile.h"

#include "cmd/driver.h"
#include "cmd/other_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A function of any run, and with --by caller a function that calls it.
struct change {
    const char *name, *caller;
    uint64_t pc;       // in the first run that has it
    unsigned run;      // which is that
    unsigned runs;     // a bit for each that has it
    uint32_t function; // of several builds: its number in that run
    uint64_t self[LIMIT_COMPARED_RUNS], total[LIMIT_COMPARED_RUNS], calls[LIMIT_COMPARED_RUNS];
};

struct runs {
    struct profile_request *request;
    size_t count;
    struct command *others;         // count - 1 of them
    struct build_functions *builds; // of each; NULL: there is one build
    struct arena texts;
    VEC(, struct change) changes;
};

static struct command *command_of(struct runs *runs, size_t run)
{
    return run ? &runs->others[run - 1] : &runs->request->common;
}

// --- The functions of a run ----------------------------------------------------------------------

static bool add_run(struct runs *runs, const struct profile *profile, unsigned run)
{
    struct names *names = &command_of(runs, run)->session.names;
    struct build_functions *builds = runs->builds ? &runs->builds[run] : NULL;
    if (!VEC_ROOM(&runs->changes, profile->rows.count))
        return false;
    for (size_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = &profile->rows.items[i];
        const bool has_caller = row->caller != PROFILE_NO_CALLER;
        struct change *change = &runs->changes.items[runs->changes.count];
        char address[NAMES_ADDRESS_BYTES];
        *change = (struct change){.caller = "", .pc = row->pc, .run = run, .runs = 1u << run};
        if (builds) {
            uint32_t caller = has_caller ? build_function_at(builds, row->caller) : 0;
            change->function = build_function_at(builds, row->pc);
            if (change->function == UINT32_MAX || caller == UINT32_MAX)
                return false;
            change->name = builds->items.items[change->function].name;
            if (has_caller)
                change->caller = builds->items.items[caller].name;
        } else {
            change->name = names_of(names, row->pc);
            if (has_caller)
                change->caller = names_of(names, row->caller);
        }
        if (has_caller && !*change->caller) {
            names_or_address(names, row->caller, address);
            change->caller = arena_copy_string(&runs->texts, address, strlen(address));
            if (!change->caller)
                return false;
        }
        change->self[run] = row->ticks_self;
        change->total[run] = row->ticks_total;
        change->calls[run] = row->count;
        runs->changes.count++;
    }
    return true;
}

// --- Matching ------------------------------------------------------------------------------------

// The file of a function, "" if it is unknown.
static const char *file_of(struct runs *runs, const struct change *change, uint32_t *line)
{
    struct build_functions *builds = &runs->builds[change->run];
    build_function_place(builds, change->function);
    const struct build_function *function = &builds->items.items[change->function];
    *line = function->line;
    return function->file ? function->file : "";
}

static int compare_functions(const void *a_item, const void *b_item)
{
    const struct change *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    if (!order && !*a->name)
        order = (a->pc > b->pc) - (a->pc < b->pc);
    return order ? order : strcmp(a->caller, b->caller);
}

static int compare_files(const void *a_item, const void *b_item, void *context)
{
    uint32_t a_line, b_line;
    return strcmp(file_of(context, a_item, &a_line), file_of(context, b_item, &b_line));
}

static void add(struct change *to, const struct change *from)
{
    for (size_t run = 0; run < LIMIT_COMPARED_RUNS; run++) {
        to->self[run] += from->self[run];
        to->total[run] += from->total[run];
        to->calls[run] += from->calls[run];
    }
    to->runs |= from->runs;
    if (from->run < to->run || (from->run == to->run && from->pc < to->pc)) {
        to->run = from->run;
        to->pc = from->pc;
        to->function = from->function;
    }
}

// Makes one of those that have the same name and caller. If a run has several of them although
// clones were folded, they are in several files.
static void join(struct runs *runs)
{
    struct change *items = runs->changes.items;
    size_t count = 0, end;
    if (runs->changes.count)
        qsort(items, runs->changes.count, sizeof *items, compare_functions);
    for (size_t first = 0; first < runs->changes.count; first = end) {
        unsigned seen = items[first].runs;
        bool has_several = false;
        for (end = first + 1;
             end < runs->changes.count && compare_functions(&items[first], &items[end]) == 0;
             end++) {
            has_several |= (seen & items[end].runs) != 0;
            seen |= items[end].runs;
        }
        const bool by_file = has_several && runs->builds && *items[first].name;
        if (by_file)
            qsort_r(items + first, end - first, sizeof *items, compare_files, runs);
        for (size_t i = first; i < end; i++) {
            if (i > first && (!by_file || compare_files(&items[count - 1], &items[i], runs) == 0))
                add(&items[count - 1], &items[i]);
            else
                items[count++] = items[i];
        }
    }
    runs->changes.count = count;
}

static int compare_places(const void *a_item, const void *b_item, void *context)
{
    const struct change *a = *(struct change *const *)a_item, *b = *(struct change *const *)b_item;
    uint32_t a_line, b_line;
    int order = strcmp(file_of(context, a, &a_line), file_of(context, b, &b_line));
    order = order ? order : (a_line > b_line) - (a_line < b_line);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

// Joins a function that only the first run has with one that it does not have, if they begin at one
// place and no third does.
static bool join_renamed(struct runs *runs)
{
    const unsigned all = (1u << runs->count) - 1;
    struct change **lone = malloc((runs->changes.count + 1) * sizeof(struct change *));
    size_t count = 0, kept = 0, end;
    bool has_memory = lone != NULL;
    for (size_t i = 0; has_memory && i < runs->changes.count; i++) {
        struct change *change = &runs->changes.items[i];
        uint32_t line = 0;
        if ((change->runs == 1 || change->runs == (all & ~1u)) && *file_of(runs, change, &line) &&
            line)
            lone[count++] = change;
    }
    if (count)
        qsort_r(lone, count, sizeof *lone, compare_places, runs);
    for (size_t first = 0; has_memory && first < count; first = end) {
        uint32_t line = 0, other = 0;
        const char *file = file_of(runs, lone[first], &line);
        for (end = first + 1;
             end < count && strcmp(file_of(runs, lone[end], &other), file) == 0 && other == line;)
            end++;
        if (end != first + 2 || lone[first]->runs != 1 || lone[first + 1]->runs == 1)
            continue;
        struct change *before = lone[first], *after = lone[first + 1];
        size_t length = strlen(before->name) + strlen(after->name) + 5;
        char *name = arena_alloc(&runs->texts, length);
        if (name)
            snprintf(name, length, "%s -> %s", before->name, after->name);
        has_memory = name != NULL;
        add(before, after);
        before->name = name;
        after->runs = 0;
    }
    for (size_t i = 0; i < runs->changes.count; i++) {
        if (runs->changes.items[i].runs)
            runs->changes.items[kept++] = runs->changes.items[i];
    }
    runs->changes.count = kept;
    free(lone);
    return has_memory;
}

// --- The table -----------------------------------------------------------------------------------

static uint64_t amount_of(const struct change *change, size_t run_count, unsigned sort)
{
    const uint64_t *figures = sort == SORT_TOTAL   ? change->total
                              : sort == SORT_COUNT ? change->calls
                                                   : change->self;
    uint64_t most = 0;
    for (size_t run = 1; run < run_count; run++)
        most = u64_max(most, figures[run] > figures[0] ? figures[run] - figures[0]
                                                       : figures[0] - figures[run]);
    return most;
}

static int compare_changes(const void *a_item, const void *b_item, void *context)
{
    const struct change *a = a_item, *b = b_item;
    const struct runs *runs = context;
    const unsigned sort = runs->request->sort;
    uint64_t a_amount = amount_of(a, runs->count, sort), b_amount = amount_of(b, runs->count, sort);
    int order = 0;
    if (sort == SORT_ADDRESS)
        order = (a->pc > b->pc) - (a->pc < b->pc);
    else if (sort != SORT_NAME)
        order = (a_amount < b_amount) - (a_amount > b_amount);
    return order ? order : compare_functions(a, b);
}

enum { BY_CALLER = 1, RUN_C = 2 }; // bits of field.when; RUN_C << 1 is run D

#define VALUE(name) FIELD_VALUE(struct change, name)
#define OF(name) FIELD_OF(struct change, name)

static const struct field two_fields[] = {
    {"Self A", "self_a", COLUMN_TICKS, VALUE(self[0])},
    {"Self B", "self_b", COLUMN_TICKS, VALUE(self[1])},
    {"Change", "self_change", COLUMN_CHANGE, VALUE(self[1]), OF(self[0])},
    {"Change", "self_change_share", COLUMN_CHANGE_SHARE, VALUE(self[1]), OF(self[0])},
    {"Total A", "total_a", COLUMN_TICKS, VALUE(total[0])},
    {"Total B", "total_b", COLUMN_TICKS, VALUE(total[1])},
    {"Change", "total_change", COLUMN_CHANGE, VALUE(total[1]), OF(total[0])},
    {"Change", "total_change_share", COLUMN_CHANGE_SHARE, VALUE(total[1]), OF(total[0])},
    {"Calls A", "calls_a", COLUMN_U64, VALUE(calls[0])},
    {"Calls B", "calls_b", COLUMN_U64, VALUE(calls[1])},
    {"Function", "function", COLUMN_TEXT, VALUE(name)},
    {"Caller", "caller", COLUMN_TEXT, VALUE(caller), .when = BY_CALLER},
};

// Of more runs, self time or total time, as they are sorted: with both, a table is too wide.
#define RUN(title, key, member, n, letter, low, needs)                                             \
    {title " " letter, key "_" low, COLUMN_TICKS, VALUE(member[n]), .when = needs},                \
        {"Change",         key "_change_" low, COLUMN_CHANGE,                                      \
         VALUE(member[n]), OF(member[0]),      .when = needs},                                     \
    {                                                                                              \
        "Change", key "_change_share_" low, COLUMN_CHANGE_SHARE, VALUE(member[n]), OF(member[0]),  \
            .when = needs                                                                          \
    }
#define RUNS(title, key, member)                                                                   \
    {title " A", key "_a", COLUMN_TICKS, VALUE(member[0])},                                        \
        RUN(title, key, member, 1, "B", "b", 0), RUN(title, key, member, 2, "C", "c", RUN_C),      \
        RUN(title, key, member, 3, "D", "d", RUN_C << 1),                                          \
        RUN(title, key, member, 4, "E", "e", RUN_C << 2),                                          \
        RUN(title, key, member, 5, "F", "f", RUN_C << 3),                                          \
        RUN(title, key, member, 6, "G", "g", RUN_C << 4),                                          \
        {"Calls A", "calls_a", COLUMN_U64, VALUE(calls[0])},                                       \
        {"Calls B", "calls_b", COLUMN_U64, VALUE(calls[1])},                                       \
        {"Calls C", "calls_c", COLUMN_U64, VALUE(calls[2]), .when = RUN_C},                        \
        {"Calls D", "calls_d", COLUMN_U64, VALUE(calls[3]), .when = RUN_C << 1},                   \
        {"Calls E", "calls_e", COLUMN_U64, VALUE(calls[4]), .when = RUN_C << 2},                   \
        {"Calls F", "calls_f", COLUMN_U64, VALUE(calls[5]), .when = RUN_C << 3},                   \
        {"Calls G", "calls_g", COLUMN_U64, VALUE(calls[6]), .when = RUN_C << 4},                   \
        {"Function", "function", COLUMN_TEXT, VALUE(name)},                                        \
    {                                                                                              \
        "Caller", "caller", COLUMN_TEXT, VALUE(caller), .when = BY_CALLER                          \
    }

static const struct field self_fields[] = {RUNS("Self", "self", self)};
static const struct field total_fields[] = {RUNS("Total", "total", total)};
#undef RUNS
#undef RUN
#undef VALUE
#undef OF

static bool put_changes(struct runs *runs)
{
    struct profile_request *request = runs->request;
    struct command *command = &request->common;
    const bool has_addresses = session_can(&command->session, TRACE_ADDRESSES);
    unsigned bits = request->by_caller ? BY_CALLER : 0;
    uint64_t shown = 0;
    for (size_t run = 2; run < runs->count; run++)
        bits |= (unsigned)RUN_C << (run - 2);
    if (runs->changes.count)
        qsort_r(runs->changes.items, runs->changes.count, sizeof *runs->changes.items,
                compare_changes, runs);
    if (!(runs->count == 2 ? command_fields(command, two_fields, ARRAY_COUNT(two_fields), bits)
          : request->sort == SORT_TOTAL
              ? command_fields(command, total_fields, ARRAY_COUNT(total_fields), bits)
              : command_fields(command, self_fields, ARRAY_COUNT(self_fields), bits)))
        return false;
    for (size_t i = 0; i < runs->changes.count && shown < request->top; i++) {
        struct change *change = &runs->changes.items[i];
        struct session *session = &command_of(runs, runs->builds ? change->run : 0)->session;
        char text[32];
        if (!session_takes_function(session, change->pc))
            continue;
        snprintf(text, sizeof text, has_addresses ? "0x%" PRIx64 : "#%" PRIu64,
                 has_addresses ? names_address(&command->session.names, change->pc) & ~UINT64_C(1)
                               : change->pc / 2);
        change->name = *change->name ? change->name : text;
        change->caller = *change->caller ? change->caller : NULL;
        command_row(command, change, NULL);
        shown++;
    }
    return command_require_shown(command, shown || !request->top);
}

// --- The report ----------------------------------------------------------------------------------

// Takes the profile of a run, which its command begins to read.
static bool take_run(struct runs *runs, unsigned run)
{
    struct command *command = command_of(runs, run);
    struct profile profile = {0};
    if (runs->builds)
        runs->builds[run].names = &command->session.names;
    bool is_done =
        (run == 0 || command_open_images(command)) &&
        profile_take(runs->request, command, runs->builds ? &runs->builds[run] : NULL, &profile) &&
        (run == 0 || runs_have_functions(&runs->request->common, command));
    if (is_done && !add_run(runs, &profile, run))
        is_done = command_no_memory(command);
    profile_free(&profile);
    return is_done;
}

bool profile_report_runs(struct profile_request *request)
{
    struct command *command = &request->common;
    struct runs runs = {.request = request, .count = command->others.count + 1};
    const bool are_builds = other_runs_are_builds(command);
    size_t begun = 0;
    runs.others = calloc(runs.count, sizeof *runs.others);
    runs.builds = are_builds ? calloc(runs.count, sizeof *runs.builds) : NULL;
    bool is_done = (runs.others && (runs.builds || !are_builds)) || command_no_memory(command);
    for (unsigned run = 0; run < runs.count && is_done; run++) {
        if (run)
            other_run_begin(&runs.others[begun++], &request->pristine, run - 1);
        is_done = take_run(&runs, run);
    }
    if (is_done) {
        join(&runs);
        is_done = (!are_builds || request->by_caller || join_renamed(&runs)) ||
                  command_no_memory(command);
    }
    is_done = is_done && put_changes(&runs) && runs_end(command, runs.others, begun);
    free(runs.changes.items);
    arena_free(&runs.texts);
    for (size_t run = 0; runs.builds && run < runs.count; run++)
        build_functions_free(&runs.builds[run]);
    free(runs.builds);
    for (size_t run = 0; run < begun; run++)
        other_run_end(&runs.others[run], command, run);
    free(runs.others);
    return is_done;
}
