// calls: each call with its times, arguments and result; or the times of each function's calls.
//
// Calls come from the same stream as every export (session/call_stream.h), task by task where the
// trace has tasks, because only so is a call that was switched away and goes on later one call: the
// stream ends it and enters it again, in the same order, so what is suspended is a stack beside
// that of open calls. Time on the core is the sum of its parts, and waiting is what lies between
// them.
//
// A row has some 120 bytes. With --top, rows that cannot be among the first are dropped whenever
// twice as many as are wanted have gathered, so that a run of any length takes little memory;
// without, their number has a limit.
#include "cmd/calls.h"

#include "base/limits.h"
#include "cli/suggest.h"
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "session/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_SORT = OPTION_OWN,
    OPTION_TOP,
    OPTION_WHERE,
    OPTION_VALUES,
    OPTION_LATENCY,
    OPTION_HISTOGRAM,
    OPTION_SVG,
    OPTION_CALLS_BY,
    OPTION_INTERRUPTS,
    OPTION_PENDING,
    OPTION_INTERVALS
};

static const char *const sort_names[] = {"entry", "time",     "elapsed", "waiting",
                                         "self",  "interval", "to-task", "pending"};

bool calls_fail(struct calls *calls, enum status status, const char *what)
{
    calls->has_failed = true;
    error_set(&calls->err, status, "%s: %s", calls->common.session.path, what);
    return false;
}

// --- Rows ----------------------------------------------------------------------------------------

static uint64_t key_of(const struct call_row *row, enum sort_key key)
{
    switch (key) {
    case SORT_TIME:
        return row->busy;
    case SORT_ELAPSED:
        return elapsed_of(row);
    case SORT_WAITING:
        return elapsed_of(row) - row->busy;
    case SORT_SELF:
        return row->self;
    case SORT_INTERVAL:
        return row->before == UINT64_MAX ? 0 : row->entry - row->before;
    case SORT_TO_TASK:
        return row->to_task == TICKS_UNKNOWN ? 0 : row->to_task;
    case SORT_PENDING:
        return row->pending == TICKS_UNKNOWN ? 0 : row->pending;
    default:
        return UINT64_MAX - row->entry; // the earliest first
    }
}

// The largest first; the order of entries decides among equals.
static int compare_rows(const void *a, const void *b, void *self)
{
    const struct call_row *left = a, *right = b;
    const struct calls *calls = self;
    uint64_t x = key_of(left, calls->key), y = key_of(right, calls->key);
    if (x != y)
        return x < y ? 1 : -1;
    // A call that was switched away has the number of its last entry.
    if (left->entry != right->entry)
        return left->entry < right->entry ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static void sort_rows(struct calls *calls)
{
    if (calls->rows.count)
        qsort_r(calls->rows.items, calls->rows.count, sizeof *calls->rows.items, compare_rows,
                calls);
}

// The calls of the function entered at `pc`, called by a path. NULL: no memory, reported.
static struct latency *function_of(struct calls *calls, uint64_t pc, uint32_t parent)
{
    const struct hash_seed *seed = hash_index_seed(&calls->by_pc);
    const uint64_t hash = hash_key(seed, pc ^ hash_key(seed, parent));
    uint32_t found;
    HASH_INDEX_FIND(found, &calls->by_pc, hash,
                    calls->functions.items[candidate].pc == pc &&
                        calls->functions.items[candidate].parent == parent);
    if (found != HASH_INDEX_NONE)
        return &calls->functions.items[found];
    uint32_t number = (uint32_t)calls->functions.count;
    if (!VEC_ROOM(&calls->functions, 1) || !hash_index_add(&calls->by_pc, hash, number)) {
        calls_fail(calls, STATUS_MEMORY, "no memory");
        return NULL;
    }
    calls->functions.items[calls->functions.count++] =
        (struct latency){.pc = pc, .parent = parent, .last_lane = UINT32_MAX};
    return &calls->functions.items[number];
}

// --- State at the ends of calls ------------------------------------------------------------------

bool calls_event(struct calls *calls, uint64_t line, struct trawl_event *about)
{
    const struct index_view *view = query_view(&calls->common);
    uint64_t event;
    return line && trawl_event_at_line(view->index, line, &event, NULL) == TRAWL_OK &&
           event != TRAWL_START && index_view_event(view, event, about, NULL) == STATUS_OK;
}

// Whether the condition holds when the call is entered.
static bool holds(struct calls *calls, const struct call_row *row)
{
    struct trawl_event entry, before;
    struct error err;
    uint64_t value;
    if (!calls_event(calls, row->line, &entry) ||
        !call_values_entry(query_view(&calls->common), entry.lane, entry.in_lane, &entry,
                           &before)) {
        calls->unknown++;
        return false;
    }
    struct point_registers registers = {.view = query_view(&calls->common),
                                        .lane = entry.lane,
                                        .event = before.event,
                                        .names = &calls->common.session.names};
    enum status status = point_value(&calls->condition, &registers, &value, &err);
    if (status != STATUS_OK && registers.has_failed) {
        calls->has_failed = true;
        calls->err = err;
    }
    calls->unknown += status != STATUS_OK && !registers.has_failed;
    return status == STATUS_OK && value;
}

// --- From the stream -----------------------------------------------------------------------------

// Takes a call of which everything is known.
static bool take_call(struct calls *calls, const struct call_row *row)
{
    struct latency *function = &calls->functions.items[row->path];
    if (calls->wants_handlers && !(row->how & CALL_EXCEPTION))
        return true;
    if (!function->is_judged)
        function->is_wanted = !calls->wanted.items.count ||
                              session_is_called(&calls->common.session, &calls->wanted, row->pc);
    function->is_judged = true;
    if (!function->is_wanted || (calls->where && !holds(calls, row)))
        return !calls->has_failed;
    if (calls->wants_latency && !calls->wants_handlers)
        return calls_take_latency(calls, row);
    // Which handlers are the first is only known at the end.
    const uint64_t top = calls->wants_handlers ? 0 : calls->top;
    if (!top && calls->rows.count == LIMIT_CALL_ROWS)
        return calls_fail(calls, STATUS_LIMIT,
                          "more than " TEXT_OF(LIMIT_CALL_ROWS) " calls; name functions, a range "
                                                                "(--time), or how many to show "
                                                                "(--top)");
    if (!VEC_ROOM(&calls->rows, 1))
        return calls_fail(calls, STATUS_MEMORY, "no memory");
    calls->rows.items[calls->rows.count++] = *row;
    if (top && calls->rows.count / 2 > top + 1024) {
        sort_rows(calls);
        calls->rows.count = (size_t)top;
    }
    return true;
}

// Takes the call that ended last, after its marks.
static bool settle(struct calls *calls)
{
    bool had_last = calls->has_last;
    calls->has_last = false;
    return !had_last || take_call(calls, &calls->last);
}

// Ends a lane: what waits there has not gone on.
static bool settle_lane(struct calls *calls)
{
    bool goes_on = settle(calls);
    while (goes_on && calls->suspended.count)
        goes_on = take_call(calls, &calls->suspended.items[--calls->suspended.count].row);
    calls->open.count = 0;
    return goes_on;
}

static bool sink_begin(void *self, uint64_t start, uint64_t hz)
{
    (void)self, (void)start, (void)hz;
    return true;
}

static bool sink_lane(void *self, const struct call_lane *lane)
{
    struct calls *calls = self;
    char *name = strdup(lane->name ? lane->name : "");
    if (!settle_lane(calls))
        return free(name), false;
    if (!name || !VEC_ROOM(&calls->lane_names, 1))
        return free(name), calls_fail(calls, STATUS_MEMORY, "no memory");
    calls->lane_names.items[calls->lane_names.count++] = name;
    calls->core = (uint32_t)(calls->common.session.splits_by_task ? lane->process : lane->thread);
    return true;
}

static bool sink_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct calls *calls = self;
    struct open_call call;
    if (!settle(calls))
        return false;
    size_t waiting = calls->suspended.count;
    if ((how & CALL_RESUMED) && waiting && calls->suspended.items[waiting - 1].row.pc == pc) {
        call = calls->suspended.items[waiting - 1];
        calls->suspended.count--;
        call.row.end = NULL;
    } else {
        const struct call_row *around =
            calls->open.count ? &calls->open.items[calls->open.count - 1].row : NULL;
        struct latency *function =
            function_of(calls, pc, calls->by_path && around ? around->path : UINT32_MAX);
        if (!function)
            return false;
        const uint32_t lane = (uint32_t)calls->lane_names.count - 1;
        call = (struct open_call){
            .row = {.entry = time,
                    .pc = pc,
                    .caller = around ? around->pc : UINT64_MAX,
                    .nesting = around ? (uint16_t)(around->nesting +
                                                   (around->how & CALL_EXCEPTION ? 1 : 0))
                                      : 0,
                    .before = function->last_lane == lane ? function->last_entry : UINT64_MAX,
                    .number = calls->entered++,
                    .to_task = TICKS_UNKNOWN,
                    .pending = TICKS_UNKNOWN,
                    .core = calls->core,
                    .lane = lane,
                    .path = (uint32_t)(function - calls->functions.items),
                    .how = (uint8_t)how,
                    .in_interrupt = how & CALL_INTERRUPT || (around && around->in_interrupt)}};
        function->last_lane = lane;
        function->last_entry = time;
    }
    call.since = time;
    call.inside = 0;
    if (!VEC_ROOM(&calls->open, 1))
        return calls_fail(calls, STATUS_MEMORY, "no memory");
    calls->open.items[calls->open.count++] = call;
    return true;
}

static void sink_place(void *self, uint64_t line, uint64_t pc)
{
    struct calls *calls = self;
    struct call_row *row = &calls->open.items[calls->open.count - 1].row;
    (void)pc;
    if (!row->has_place)
        row->line = line;
    row->has_place = true;
    row->last_line = line;
}

static void sink_argument(void *self, uint64_t value)
{
    struct calls *calls = self;
    if (!calls->open.count)
        return;
    struct call_row *row = &calls->open.items[calls->open.count - 1].row;
    if (row->argument_count < CALL_VALUES_ARGUMENTS)
        row->arguments[row->argument_count++] = value;
}

// Puts the call that ended last aside, as it may go on.
static bool suspend(struct calls *calls)
{
    calls->has_last = false;
    if (!VEC_ROOM(&calls->suspended, 1))
        return calls_fail(calls, STATUS_MEMORY, "no memory");
    calls->suspended.items[calls->suspended.count++] = (struct open_call){.row = calls->last};
    return true;
}

static bool sink_leave(void *self, uint64_t time)
{
    struct calls *calls = self;
    if (!settle(calls))
        return false;
    ASSERT(calls->open.count);
    struct open_call *call = &calls->open.items[--calls->open.count];
    uint64_t ticks = time - call->since;
    call->row.exit = time;
    call->row.busy += ticks;
    call->row.self += ticks - u64_min(call->inside, ticks);
    if (calls->open.count)
        calls->open.items[calls->open.count - 1].inside += ticks;
    calls->last = call->row;
    if (calls->wants_handlers && call->row.how & CALL_EXCEPTION && !call->row.nesting) {
        if (!VEC_ROOM(&calls->handled, 1))
            return calls_fail(calls, STATUS_MEMORY, "no memory");
        calls->handled.items[calls->handled.count++] =
            (struct handled){call->since, time, calls->core, false};
    }
    // The function in which a task was first seen was not called: it goes on whenever the task
    // does.
    bool is_root = !calls->open.count && calls->tells_tasks && !(call->row.how & CALL_TASK);
    if (is_root)
        calls->last.end = "open";
    calls->has_last = !is_root;
    return !is_root || suspend(calls);
}

static void sink_mark(void *self, const char *what)
{
    struct calls *calls = self;
    if (!calls->has_last)
        return;
    calls->last.end = what;
    if (calls->handled.count && calls->last.how & CALL_EXCEPTION && !calls->last.nesting &&
        (strcmp(what, "open") == 0 || strcmp(what, "clipped") == 0))
        calls->handled.items[calls->handled.count - 1].is_open = true;
    if (what == call_end_word(CALL_SUSPENDED))
        suspend(calls);
}

// --- The table -----------------------------------------------------------------------------------

struct call_cells {
    uint64_t entry, exit, time, self, elapsed, waiting, nesting;
    const uint64_t *line, *interval, *to_task, *pending;
    const char *request, *lane, *function, *caller, *arguments, *result, *end;
    uint64_t address;
};

#define VALUE(name) FIELD_VALUE(struct call_cells, name)

static const struct field fields[] = {
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Entry", "entry_time", COLUMN_TICKS, VALUE(entry)},
    {"Line", "entry_line", COLUMN_LINE, VALUE(line), .when = WITH_LINES},
    {"Exit", "exit_time", COLUMN_TICKS, VALUE(exit)},
    {"Time", "time", COLUMN_TICKS, VALUE(time)},
    {"Self", "self", COLUMN_TICKS, VALUE(self)},
    {"Waiting", "waiting", COLUMN_TICKS, VALUE(waiting), .when = WITH_WAITS},
    {"Elapsed", "elapsed", COLUMN_TICKS, VALUE(elapsed), .when = WITH_WAITS},
    {"Interval", "interval", COLUMN_TICKS, VALUE(interval), .when = WITH_INTERVALS},
    {"Nesting", "nesting", COLUMN_U64, VALUE(nesting), .when = WITH_NESTING},
    {"To task", "to_task", COLUMN_TICKS, VALUE(to_task), .when = WITH_TO_TASK},
    {"Pending", "pending", COLUMN_TICKS, VALUE(pending), .when = WITH_PENDING},
    {"Request", "request", COLUMN_TEXT, VALUE(request), .when = WITH_PENDING},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Caller", "caller", COLUMN_TEXT, VALUE(caller)},
    {"Arguments", "arguments", COLUMN_WHOLE, VALUE(arguments), .when = WITH_ARGUMENTS},
    {"Result", "result", COLUMN_WHOLE, VALUE(result), .when = WITH_VALUES},
    {"End", "end", COLUMN_TEXT, VALUE(end)},
};
#undef VALUE

// The arguments at the entry, and the result at the exit.
static void put_values(struct calls *calls, const struct call_row *row)
{
    struct command *command = &calls->common;
    const struct index_view *view = query_view(command);
    struct trawl_event entry, part;
    struct trawl_call call;
    if (!calls_event(calls, row->line, &entry))
        return;
    struct call_place place = {row->pc, entry.lane, entry.in_lane, TRAWL_NONE};
    // All calls that go on when a task does have their last parts from one event on.
    if (!row->end && calls_event(calls, row->last_line, &part)) {
        enum trawl_status status = trawl_call_at(view->index, part.lane, part.in_lane, &call, NULL);
        while (status == TRAWL_OK && call.began != place.began)
            status = call.parent == TRAWL_NONE
                         ? TRAWL_NOT_FOUND
                         : trawl_call(view->index, part.lane, call.parent, &call, NULL);
        if (status == TRAWL_OK)
            place.exit = call.exit;
    }
    call_values_put(view, &command->session.names, &place, &calls->arguments, &calls->result);
}

const char *calls_name(struct calls *calls, uint64_t pc)
{
    const char *name = pc == UINT64_MAX ? "" : names_of(&calls->common.session.names, pc);
    return *name ? name : NULL;
}

static void put_row(struct calls *calls, const struct call_row *row)
{
    const uint64_t interval = row->entry - row->before;
    char number[24];
    out_clear(&calls->arguments);
    out_clear(&calls->result);
    if (calls->wants_values)
        put_values(calls, row);
    for (unsigned i = 0; i < row->argument_count; i++) {
        snprintf(number, sizeof number, "%s0x%" PRIx64, i ? " " : "", row->arguments[i]);
        out_text(&calls->arguments, number);
    }
    if (out_failed(&calls->arguments) || out_failed(&calls->result)) {
        calls_fail(calls, STATUS_MEMORY, "no memory");
        return;
    }
    const char *arguments = out_memory_text(&calls->arguments);
    const char *result = out_memory_text(&calls->result);
    const char *lane = calls->lane_names.items[row->lane];
    if (row->in_interrupt && calls->tells_interrupts)
        lane = TASK_NAME_INTERRUPTS;
    command_row(&calls->common,
                &(struct call_cells){
                    .lane = *lane ? lane : NULL,
                    .entry = row->entry,
                    .line = row->has_place ? &row->line : NULL,
                    .exit = row->exit,
                    .time = row->busy,
                    .self = row->self,
                    .waiting = elapsed_of(row) - row->busy,
                    .elapsed = elapsed_of(row),
                    .nesting = row->nesting,
                    .interval = row->before == UINT64_MAX ? NULL : &interval,
                    .to_task = row->to_task == TICKS_UNKNOWN ? NULL : &row->to_task,
                    .pending = row->pending == TICKS_UNKNOWN ? NULL : &row->pending,
                    .request = row->request,
                    .address = row->pc & ~UINT64_C(1),
                    .function = calls_name(calls, row->pc),
                    .caller = calls_name(calls, row->caller),
                    .arguments = *arguments ? arguments : NULL,
                    .result = *result ? result : NULL,
                    .end = row->end,
                },
                row->has_place ? &(struct line_place){row->line, 0} : NULL);
}

static bool show_rows(struct calls *calls)
{
    struct command *command = &calls->common;
    const struct trace *trace = command->session.trace;
    bool has_lines = trace && trace_can(trace, TRACE_LINES);
    bool has_arguments = calls->wants_values;
    sort_rows(calls);
    if (calls->top && calls->rows.count > calls->top)
        calls->rows.count = (size_t)calls->top;
    for (size_t i = 0; i < calls->rows.count; i++)
        has_arguments |= calls->rows.items[i].argument_count > 0;
    unsigned when = (has_lines ? WITH_LINES : 0) | (calls->wants_values ? WITH_VALUES : 0) |
                    (has_arguments ? WITH_ARGUMENTS : 0) |
                    (command->session.splits_by_task ? WITH_WAITS : 0) |
                    (calls->wants_handlers ? WITH_NESTING | WITH_TO_TASK : 0) |
                    (calls->wants_pending ? WITH_PENDING : 0) |
                    (calls->wants_intervals || calls->key == SORT_INTERVAL ? WITH_INTERVALS : 0);
    if (out_open_memory(&calls->arguments, &calls->err) != STATUS_OK)
        return command_fail(command, &calls->err);
    if (out_open_memory(&calls->result, &calls->err) != STATUS_OK) {
        out_abandon(&calls->arguments);
        return command_fail(command, &calls->err);
    }
    bool is_shown = command_fields(command, fields, ARRAY_COUNT(fields), when);
    for (size_t i = 0;
         is_shown && !calls->has_failed && i < calls->rows.count && !out_failed(&command->out); i++)
        put_row(calls, &calls->rows.items[i]);
    out_abandon(&calls->arguments);
    out_abandon(&calls->result);
    if (calls->has_failed)
        return command_fail(command, &calls->err);
    return is_shown && command_require_shown(command, calls->rows.count > 0);
}

// --- The command ---------------------------------------------------------------------------------

// The name of the function, if one alone is asked for: its arguments have their bare names.
static const char *only_function(const struct calls *calls)
{
    return calls->wanted.items.count == 1 ? calls->wanted.items.items[0].pattern : NULL;
}

// Opens the index, if values of registers are asked for, and parses the condition.
static bool open_values(struct calls *calls)
{
    struct command *command = &calls->common;
    if (!calls->where && !calls->wants_values && !calls->wants_pending)
        return true;
    return command_view(command) &&
           (!calls->where || query_condition(command, "--where", calls->where, false,
                                             only_function(calls), &calls->condition));
}

static bool report(void *self)
{
    struct calls *calls = self;
    struct command *command = &calls->common;
    const struct call_sink sink = {.self = calls,
                                   .begin = sink_begin,
                                   .lane = sink_lane,
                                   .enter = sink_enter,
                                   .leave = sink_leave,
                                   .mark = sink_mark,
                                   .argument = sink_argument,
                                   .place = sink_place};
    if (!command_ensure_open(command))
        return false;
    calls->tells_tasks = trace_can(command->session.trace, TRACE_TASKS);
    calls->tells_interrupts = command->shows_tasks;
    command->shows_tasks |= calls->tells_tasks; // each call says whose it is
    command->session.splits_by_task |= calls->tells_tasks;
    command->session.parts_interrupts = false; // handlers have callers: what they interrupted
    if (!open_values(calls))
        return false;
    bool is_done = command_stream(command, &sink);
    if (is_done && !calls->has_failed && settle_lane(calls) && calls->wants_handlers)
        calls_finish_handlers(calls);
    if (calls->has_failed)
        return command_fail(command, &calls->err);
    if (is_done && calls->unknown)
        diag_note(&command->diag,
                  "--where '%.200s': unknown at the entry of %" PRIu64
                  " call%s, which are left out",
                  calls->where, calls->unknown, plural(calls->unknown));
    if (is_done) {
        // Says which functions were never called, as a name may be misspelled.
        for (size_t i = 0; i < calls->wanted.items.count; i++) {
            const char *name = calls->wanted.items.items[i].pattern;
            struct suggestion near;
            char hint[SUGGEST_TEXT_BYTES];
            if (calls->wanted.items.items[i].was_met)
                continue;
            suggest_begin(&near, name, strlen(name));
            names_offer(&calls->common.session.names, &near);
            suggest_text(&near, hint);
            diag_note(&calls->common.diag, "'%.200s': is not called%s", name, hint);
        }
    }
    return is_done && (calls->wants_histogram ? calls_show_histograms(calls)
                       : calls->wants_latency ? calls_show_latencies(calls)
                                              : show_rows(calls));
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct calls *calls = self;
    switch (option) {
    case OPTION_SORT:
        for (size_t i = 0; i < ARRAY_COUNT(sort_names); i++) {
            if (strcmp(match->value, sort_names[i]) == 0) {
                calls->key = (enum sort_key)i;
                return OPTION_END;
            }
        }
        return options_bad_value(parser, match,
                                 "entry, time, elapsed, waiting, self, interval, to-task or "
                                 "pending");
    case OPTION_TOP:
        return parse_u64_within(match->value, 1, LIMIT_CALL_ROWS, &calls->top)
                   ? OPTION_END
                   : options_bad_value(parser, match,
                                       "a number from 1 to " TEXT_OF(LIMIT_CALL_ROWS));
    case OPTION_WHERE:
        calls->where = match->value;
        return OPTION_END;
    case OPTION_VALUES:
        calls->wants_values = true;
        return OPTION_END;
    case OPTION_INTERRUPTS:
        calls->wants_handlers = true;
        return OPTION_END;
    case OPTION_PENDING:
        calls->wants_pending = calls->wants_handlers = true;
        return OPTION_END;
    case OPTION_INTERVALS:
        calls->wants_intervals = true;
        return OPTION_END;
    case OPTION_HISTOGRAM:
        calls->wants_histogram = calls->wants_latency = true;
        return OPTION_END;
    case OPTION_SVG:
        calls->wants_svg = calls->wants_histogram = calls->wants_latency = true;
        return OPTION_END;
    case OPTION_LATENCY:
        calls->wants_latency = true;
        return OPTION_END;
    case OPTION_CALLS_BY:
        if (strcmp(match->value, "path") == 0) {
            calls->by_path = true;
            return OPTION_END;
        }
        if (strcmp(match->value, "task") != 0)
            return options_bad_value(parser, match, "task or path");
        command_note_given(&calls->common, OPTION_BY);
        return command_option(&calls->common, parser, OPTION_BY, match);
    default:
        return hidden_names_add(&calls->wanted, match->value) ? OPTION_END
                                                              : options_no_memory(parser);
    }
}

static bool check(void *self, struct options_parser *parser)
{
    const struct calls *calls = self;
    if (calls->by_path && !calls->wants_latency)
        return options_refuse(parser, "--by path needs --latency or --histogram");
    if (calls->key == SORT_TO_TASK && !calls->wants_handlers)
        return options_refuse(parser, "--sort to-task needs --interrupts");
    if (calls->key == SORT_PENDING && !calls->wants_pending)
        return options_refuse(parser, "--sort pending needs --pending");
    if (calls->wants_latency && calls->wants_intervals)
        return options_refuse(parser, "--intervals are of single calls");
    if (calls->wants_latency && calls->wants_values)
        return options_refuse(parser, "--values are of single calls");
    if (calls->wants_svg && calls->common.format)
        return options_refuse(parser, "--svg is a format");
    return true;
}

static const struct option_need option_needs[] = {
    {OPTION_WHERE, TRACE_REGISTERS, TRACE_SNAPSHOTS},
    {OPTION_VALUES, TRACE_REGISTERS, TRACE_SNAPSHOTS},
    {OPTION_PENDING, TRACE_MEMORY, TRACE_SNAPSHOTS},
    {0},
};

static void latency_free(struct latency *function)
{
    free(function->elapsed.ticks.items);
    free(function->busy.ticks.items);
    free(function->to_task.ticks.items);
    free(function->pending.ticks.items);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct calls calls = {0};
    command_begin(&calls.common, self);
    calls.common.own_options = option_needs;
    enum exit_status status = command_run(&calls.common, argc, argv,
                                          &(struct command_steps){&calls, take, check, report});
    for (size_t i = 0; i < calls.lane_names.count; i++)
        free(calls.lane_names.items[i]);
    for (size_t i = 0; i < calls.functions.count; i++)
        latency_free(&calls.functions.items[i]);
    free(calls.lane_names.items);
    free(calls.functions.items);
    free(calls.open.items);
    free(calls.suspended.items);
    free(calls.rows.items);
    free(calls.handled.items);
    hash_index_free(&calls.by_pc);
    hidden_names_free(&calls.wanted);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_SORT, 0, "sort", "KEY",
     "entry (default), time, elapsed, waiting, self, interval, to-task or pending; but for entry "
     "the "
     "longest first"},
    {OPTION_TOP, 0, "top", "N", "only the first N"},
    {OPTION_LATENCY, 0, "latency", NULL,
     "instead, for each function: shortest, median, 90 %, 99 % and longest elapsed time of its "
     "calls, and where the longest began; where the trace has tasks also those of Time"},
    {OPTION_INTERRUPTS, 0, "interrupts", NULL,
     "only handlers of exceptions, with how many others each is nested in, and the time from the "
     "entry "
     "to the next instruction of a task; their callers are what they interrupted"},
    {OPTION_PENDING, 0, "pending", NULL,
     "the same, also with the time from the request to the entry, where software made it: the "
     "stores "
     "to ICSR, ISPR and STIR of Arm's M profile; from an index"},
    {OPTION_INTERVALS, 0, "intervals", NULL,
     "also the time since the entry of the call of the same function before it"},
    {OPTION_HISTOGRAM, 0, "histogram", NULL,
     "instead, for each function: how many calls had which elapsed time"},
    {OPTION_SVG, 0, "svg", NULL, "the same as a picture"},
    {OPTION_CALLS_BY, 0, "by", "WHAT",
     "path: for --latency and --histogram, each path of callers by itself; task: tell the tasks of "
     "an operating system apart, by their stacks"},
    {OPTION_VALUES, 0, "values", NULL,
     "also arguments at the entry and the result, by their types (DWARF), otherwise the registers "
     "that have the first of them"},
    {OPTION_WHERE, 0, "where", "CONDITION",
     "only calls at whose entry it holds, such as 'x1 > 4096', or with DWARF 'memcpy::n > 4096' "
     "(trawl-positions(7))"},
    {ROW_FORMAT},
    {ROW_WIDE},
    {ROW_RETURNED_ONLY},
    {0},
};

static const int alternatives[] = {
    TRACE_ALTERNATIVES, OPTION_LATENCY, OPTION_HISTOGRAM, OPTION_SVG, OPTION_SORT, 0, 0};

static const struct option_group groups[] = {{"options", own_options},
                                             {"what to show", filter_options},
                                             {NULL, call_filter_options},
                                             {NULL, task_name_options},
                                             {"how to read the trace", image_options},
                                             {NULL, no_offsets_options},
                                             {NULL, byte_order_options},
                                             {NULL, reading_options},
                                             {NULL, xray_options},
                                             {"the index", index_options},
                                             {"the trace in several files", files_options},
                                             {"how to run", run_options},
                                             {0}};

static const struct positional_spec positionals[] = {
    {"TRACE", "{input}", NULL, false, false},
    {"FUNCTION", "name, pattern or address", NULL, true, true},
    {0}};

const struct command_spec calls_command = {
    .name = "calls",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "each call with its times; latencies",
    .description =
        "Lists calls, of FUNCTION if given: a name, a pattern (*), or an address. Time is what a "
        "call and the calls in it took on the core, Self without the calls in it. Where the trace "
        "shows tasks, Elapsed is from entry to exit, Waiting the part of it in which the task was "
        "switched away, and each task has its own calls. Interrupts count for what they interrupt, "
        "which called them as it were; with --by task, their calls are of the task 'interrupts'. "
        "To task is the time from the entry of a handler until its core is in no handler, of "
        "whatever task: "
        "handlers that follow at once count, too. "
        "Interval is the time since the entry of "
        "the call of the same function before it. End says what became of a call that did not "
        "return.\n"
        "'trawl calltree' shows which call was made in which; 'trawl callinfo' every visit of an "
        "address.",
    .common = &trace_common_options,
    .groups = groups,
    .positionals = positionals,
    .examples = "trawl calls --image prog.elf run.tarmac memcpy --values --where 'x2 > 4096'\n"
                "trawl calls --image prog.elf run.tarmac work --values --where 'job->ticks > 20'\n"
                "trawl calls --image prog.elf run.tarmac --sort elapsed --top 20\n"
                "trawl calls --image prog.elf run.tarmac --latency\n"
                "trawl calls --image prog.elf run.tarmac --latency --by path --top 20\n"
                "trawl calls --image prog.elf run.tarmac work --histogram\n"
                "trawl calls --image prog.elf run.tarmac work --svg -o work.svg\n"
                "trawl calls --image prog.elf run.tarmac --interrupts --sort to-task --top 5\n"
                "trawl calls --image prog.elf run.tarmac --pending --latency\n",
    .alternatives = alternatives,
    .run = run,
};

// What `trawl profile --latency` is, whose passes do not know single calls.
const struct command_spec profile_latency_command = {
    .name = "profile",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "latencies of functions",
    .description = "The same as 'trawl calls --latency', with its options.",
    .common = &trace_common_options,
    .groups = groups,
    .positionals = positionals,
    .alternatives = alternatives,
    .run = run,
};
