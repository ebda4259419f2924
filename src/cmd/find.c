// find: the points at which a condition begins to hold.
#include "query/find.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/find.h"
#include "cmd/option_rows.h"
#include "query/point.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    OPTION_ALL = OPTION_OWN,
    OPTION_PREVIOUS,
    OPTION_NEXT,
    OPTION_FIRST,
    OPTION_LAST,
    OPTION_COUNT,
};

struct find {
    struct command common;
    const char *text;
    struct expression condition;
    int mode; // OPTION_PREVIOUS to OPTION_COUNT; 0: all points
    bool wants_all;
    // Of a log of calls: those that were found, and the last of them.
    uint64_t count, last_time, last_pc;
    char last_lane[LIMIT_LANE_NAME_BYTES + 1], last_values[256];
};

// Bits of field.when.
enum {
    WITH_TIMES = 1,
    OF_POINTS = 2,
    OF_COUNTS = 4,
    WITH_LINES = 8,
    OF_EVENTS = 16,
    OF_CALLS = 32
};

struct find_cells {
    uint64_t event, time, line, points;
    const uint64_t *pc;
    const char *function, *lane, *values;
};

#define VALUE(name) FIELD_VALUE(struct find_cells, name)

static const struct field fields[] = {
    {"Event", "event", COLUMN_U64, VALUE(event), .when = OF_POINTS | OF_EVENTS},
    {"Time", "time", COLUMN_TICKS, VALUE(time), .when = OF_POINTS | WITH_TIMES},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = OF_POINTS | WITH_LINES},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc), .when = OF_POINTS | OF_EVENTS},
    {"Id", "function_id", COLUMN_U64, VALUE(pc), .when = OF_POINTS | OF_CALLS},
    {"Function", "function", COLUMN_TEXT, VALUE(function), .when = OF_POINTS},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane), .when = OF_POINTS},
    {"Values", "values", COLUMN_WHOLE, VALUE(values), .when = OF_POINTS},
    {"Points", "points", COLUMN_U64, VALUE(points), .when = OF_COUNTS},
};

// What the condition reads at a point, as text: "x0=0x5 u32(0x8000)=0x4".
struct read_values {
    struct expression_registers below;
    char text[512];
    size_t length;
};

static void note_value(struct read_values *values, const char *name, bool is_known, uint64_t value)
{
    char text[128];
    size_t length = is_known ? (size_t)snprintf(text, sizeof text, "%.64s=0x%" PRIx64, name, value)
                             : (size_t)snprintf(text, sizeof text, "%.64s=?", name);
    // A value that is read several times is noted once.
    for (const char *at = values->text; (at = strstr(at, text)); at++) {
        if ((at == values->text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return;
    }
    if (values->length + length + 2 > sizeof values->text)
        return;
    if (values->length)
        values->text[values->length++] = ' ';
    memcpy(values->text + values->length, text, length + 1);
    values->length += length;
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    struct read_values *values = self;
    bool is_pc = expression_is_pc(which); // which has a column
    bool is_known = !is_pc && values->below.read(values->below.self, which, value);
    if (!is_pc)
        note_value(values, which->name, is_known, *value);
    return is_known;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct read_values *values = self;
    char name[40];
    bool is_known = values->below.read_memory(values->below.self, address, size_bytes, value);
    snprintf(name, sizeof name, "u%u(0x%" PRIx64 ")", (unsigned)size_bytes * 8, address);
    note_value(values, name, is_known, *value);
    return is_known;
}

static bool read_local(void *self, const struct c_local *local, const char *name, size_t length,
                       uint64_t *value)
{
    struct read_values *values = self;
    char text[65];
    bool is_known = values->below.read_local(values->below.self, local, name, length, value);
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    note_value(values, text, is_known, *value);
    return is_known;
}

// Shows a point, with what the condition reads there.
static enum status put_point(struct find *find, const struct found_point *point,
                             struct trawl_event *about, const char *values, struct error *err)
{
    struct command *command = &find->common;
    bool has_pc = false;
    if (about->lane == point->lane &&
        index_view_origin(query_view(command), about, &has_pc, err) != STATUS_OK)
        return err->status;
    const uint64_t pc = about->pc & ~UINT64_C(1);
    command_row(command,
                &(struct find_cells){.event = point->event,
                                     .time = about->time,
                                     .line = about->line,
                                     .pc = has_pc ? &pc : NULL,
                                     .function = has_pc ? query_name(command, about->pc) : NULL,
                                     .lane = query_lane_name(command, point->lane),
                                     .values = *values ? values : NULL},
                &(struct line_place){about->line, about->position});
    return STATUS_OK;
}

// Notes what the condition reads at a point.
static void note_values(const struct find *find, const struct expression_registers *below,
                        struct read_values *values)
{
    struct expression_operand before[LIMIT_EXPRESSION_TERMS] = {0};
    const struct expression_registers readers = {.self = values,
                                                 .read = read_register,
                                                 .read_memory = read_memory,
                                                 .read_local = read_local,
                                                 .before = before};
    uint64_t result;
    struct error unknown;
    values->below = *below;
    values->length = 0;
    values->text[0] = '\0';
    expression_evaluate(&find->condition, &readers, &result, &unknown);
}

// The last of several points was passed by the search when it is known to be the last.
static enum status put_last(struct find *find, const struct found_point *point,
                            struct trawl_event *about, struct error *err)
{
    struct command *command = &find->common;
    struct point_registers registers = {.view = query_view(command),
                                        .lane = point->lane,
                                        .event = point->event,
                                        .names = &command->session.names};
    const struct expression_registers below = point_registers(&registers);
    struct read_values values;
    note_values(find, &below, &values);
    if (registers.has_failed)
        *err = registers.err;
    return registers.has_failed ? err->status : put_point(find, point, about, values.text, err);
}

// Shows the points that are wanted, or counts them.
static enum status show(struct find *find, struct finder *finder, uint64_t *count,
                        struct error *err)
{
    struct command *command = &find->common;
    struct found_point point, last = {0};
    struct trawl_event about, last_about = {0};
    struct read_values values;
    const bool wants_last = find->mode == OPTION_LAST || find->mode == OPTION_PREVIOUS;
    const bool wants_one = find->mode == OPTION_FIRST || find->mode == OPTION_NEXT;
    enum status status;
    while ((status = find_next(finder, &point, err)) == STATUS_OK) {
        status = find_event(finder, &about, err);
        if (status != STATUS_OK)
            return status;
        if (!query_wants_event(command, &about))
            continue;
        ++*count;
        if (wants_last) {
            last = point;
            last_about = about;
        } else if (find->mode != OPTION_COUNT) {
            const struct expression_registers below = find_registers(finder);
            note_values(find, &below, &values);
            status = find_registers_status(finder, err);
            if (status == STATUS_OK)
                status = put_point(find, &point, &about, values.text, err);
        }
        if (status != STATUS_OK || wants_one || out_failed(&command->out))
            return status;
    }
    if (status == STATUS_NOT_FOUND)
        status = wants_last && *count ? put_last(find, &last, &last_about, err) : STATUS_OK;
    if (status == STATUS_OK && find->mode == OPTION_COUNT)
        command_row(command, &(struct find_cells){.points = *count}, NULL);
    return status;
}

// --- Logs of calls -------------------------------------------------------------------------------

static void put_call(struct find *find, const char *lane, uint64_t time, uint64_t pc,
                     const char *values)
{
    uint64_t id;
    command_row(&find->common,
                &(struct find_cells){.time = time,
                                     .pc = command_function_id(pc, &id),
                                     .function = query_name(&find->common, pc),
                                     .lane = lane,
                                     .values = *values ? values : NULL},
                NULL);
}

static bool take_call(void *self, const char *lane, uint64_t time, uint64_t pc, const char *values)
{
    struct find *find = self;
    find->count++;
    if (find->mode == OPTION_LAST) {
        snprintf(find->last_lane, sizeof find->last_lane, "%s", lane);
        snprintf(find->last_values, sizeof find->last_values, "%s", values);
        find->last_time = time;
        find->last_pc = pc;
    } else if (find->mode != OPTION_COUNT) {
        put_call(find, lane, time, pc, values);
    }
    return find->mode != OPTION_FIRST && !out_failed(&find->common.out);
}

static bool report_calls(struct find *find)
{
    struct command *command = &find->common;
    if (find->mode == OPTION_NEXT || find->mode == OPTION_PREVIOUS || command->at)
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: --at, --next and --previous are about states, which a log of "
                                 "calls has not: --time has a part of it",
                                 command->session.path);
    bool is_done = find_calls_condition(command, find->text, &find->condition) &&
                   command_fields(command, fields, ARRAY_COUNT(fields),
                                  find->mode == OPTION_COUNT ? OF_COUNTS
                                                             : OF_POINTS | WITH_TIMES | OF_CALLS) &&
                   find_in_calls(command, &find->condition, take_call, find);
    if (is_done && find->mode == OPTION_COUNT)
        command_row(command, &(struct find_cells){.points = find->count}, NULL);
    else if (is_done && find->mode == OPTION_LAST && find->count)
        put_call(find, find->last_lane, find->last_time, find->last_pc, find->last_values);
    if (is_done && !find->count && find->mode != OPTION_COUNT)
        diag_note(&command->diag, "'%.200s': never holds", find->text);
    return is_done;
}

// --- The report ----------------------------------------------------------------------------------

static bool report(void *self)
{
    struct find *find = self;
    struct command *command = &find->common;
    if (command->session.trace && !trace_can(command->session.trace, TRACE_REGISTERS))
        return report_calls(find);
    const bool has_lines = !index_view_has_snapshots(query_view(command));
    struct find_request request = {.condition = &find->condition,
                                   .lane = command->lane,
                                   .names = &command->session.names,
                                   .wants_all = find->wants_all};
    struct finder *finder = NULL;
    struct error err;
    uint64_t count = 0;
    if (!query_has_range(command) ||
        !query_condition(command, "", find->text, true, NULL, &find->condition))
        return false;
    command->uses_memory |= find->condition.has_memory;
    enum status status =
        session_event_bounds(&command->session, command->lane, &request.first, &request.last, &err);
    if (find->mode == OPTION_NEXT && command->event != TRAWL_START)
        request.first = request.first > command->event ? request.first : command->event + 1;
    if (find->mode == OPTION_PREVIOUS && command->event == TRAWL_START)
        request.first = UINT64_MAX;
    else if (find->mode == OPTION_PREVIOUS)
        request.last = u64_min(request.last, command->event);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    status = find_begin(&finder, query_view(command), &request, &err);
    if (status != STATUS_OK) {
        find_end(finder);
        return query_text_fail(command, "", find->text, &err);
    }
    bool is_shown = command_fields(command, fields, ARRAY_COUNT(fields),
                                   find->mode == OPTION_COUNT ? OF_COUNTS
                                   : has_lines ? OF_POINTS | OF_EVENTS | WITH_TIMES | WITH_LINES
                                               : OF_POINTS | OF_EVENTS);
    if (is_shown)
        status = show(find, finder, &count, &err);
    char doubt[300] = "";
    uint64_t evaluated, unknown;
    const char *why;
    if (!count && find_was_unknown(finder, &evaluated, &unknown, &why))
        snprintf(doubt, sizeof doubt,
                 "; it is unknown in %" PRIu64 " of %" PRIu64
                 " states that were looked at, first because %.160s",
                 unknown, evaluated, why);
    find_end(finder);
    if (!is_shown || status != STATUS_OK)
        return is_shown && command_fail(command, &err);
    if (!count && (*doubt || find->mode != OPTION_COUNT))
        diag_note(&command->diag, "'%.200s': never %s%s%s", find->text,
                  find->wants_all ? "holds" : "begins to hold",
                  find->mode == OPTION_PREVIOUS ? " up to that point"
                  : find->mode == OPTION_NEXT   ? " after that point"
                                                : "",
                  doubt);
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct find *find = self;
    (void)parser;
    if (option == OPTION_POSITIONAL)
        find->text = match->value;
    else if (option == OPTION_ALL)
        find->wants_all = true;
    else
        find->mode = option;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct find find = {0};
    command_begin(&find.common, self);
    find.common.asks_index = true;
    return command_run(&find.common, argc, argv,
                       &(struct command_steps){&find, take, NULL, report});
}

static const struct option_spec own_options[] = {
    {OPTION_ALL, 0, "all", NULL, "every event at which it holds, not only where it begins to"},
    {OPTION_FIRST, 0, "first", NULL, "only the first point"},
    {OPTION_LAST, 0, "last", NULL, "only the last point"},
    {OPTION_NEXT, 0, "next", NULL, "only the first after POS"},
    {OPTION_PREVIOUS, 0, "previous", NULL, "only the last at or before POS"},
    {OPTION_COUNT, 0, "count", NULL, "only how many there are"},
    {ROW_AT},
    {ROW_TIME},
    {ROW_LANE_EVENTS},
    {ROW_OLD_EVENTS},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

const struct command_spec find_command = {
    .name = "find",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_EVENTS,
    .describe_input = trace_inputs_describe,
    .summary = "the points at which a condition begins to hold",
    .description =
        "Lists the points of a trace at which CONDITION begins to hold, with the values that it "
        "reads there. It has the operators of C, in 64 bits. Its operands are numbers, registers, "
        "symbols, memory (u8(ADDR), u16, u32, u64, or with a sign s8 to s64), and with the DWARF "
        "of "
        "an image variables, members, elements and casts, such as 'first->next', 'jobs[2].name', "
        "'((struct job *)x0)->valid', FILE::NAME and FUNCTION::NAME. i8(E) to i64(E) take the low "
        "bits of E with their sign.\n"
        "'E in SYMBOL' holds from the address of the symbol to its end; 'changed(E)' at events "
        "that change E; 'written(E)' at events that write a register, memory, a variable, or any "
        "part of an object, even the same value. trawl-positions(7) says more.\n"
        "A condition is about the state after an event, as 'trawl state' shows it, and pc is the "
        "address of the event's own instruction. It is asked for each core; without registers, "
        "only once. Where something that it needs is unknown, it does not hold.\n"
        "For a GDB trace file, each frame is an event. For an XRay log, which has neither "
        "registers "
        "nor memory, a condition is about a call, and each call at which it holds is a point: 'pc "
        "in "
        "FUNCTION', time, depth, arg0 to arg3 as far as the log has them, and elapsed.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                         {"CONDITION", "what has to hold", NULL, false, false},
                                         {0}},
    .examples = "trawl find run.tarmac 'x0 == 0'\n"
                "trawl find --image prog.elf run.tarmac 'pc in memcpy && x2 > 0x1000'\n"
                "trawl find --image prog.elf run.tarmac 'changed(u32(queue+8))' --last\n"
                "trawl find --image prog.elf run.tarmac 'written(jobs[3].next)'\n"
                "trawl find --image prog.elf run.tarmac 'pc in work && i == 3'\n"
                "trawl find run.tarmac 'sp < 0x20001000' --first\n"
                "trawl find xray-log.prog.123 'arg0 == 0 && elapsed > 1000'\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, OPTION_PREVIOUS, OPTION_NEXT, OPTION_FIRST,
                                  OPTION_LAST, OPTION_COUNT, 0, OPTION_COUNT, OPTION_CONTEXT, 0, 0},
    .run = run,
};
