// pc: when an instruction was executed.
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/other_base.h"
#include "cmd/query.h"
#include "query/trace_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_PREVIOUS = QUERY_OPTION_OWN, OPTION_NEXT, OPTION_COUNT };

struct wanted {
    const char *text;
    uint64_t address;
};

struct visits {
    struct command common;
    VEC(, struct wanted) wanted;
    int mode;            // OPTION_PREVIOUS, OPTION_NEXT, OPTION_COUNT; 0: all
    uint64_t last_event; // later ones are not wanted
    struct table *table;
};

// --- One address ---------------------------------------------------------------------------------

static const struct column columns[] = {
    {"Address", "address", COLUMN_ADDRESS}, {"Function", "function", COLUMN_TEXT},
    {"Event", "event", COLUMN_U64},         {"Time", "time", COLUMN_TICKS},
    {"Line", "line", COLUMN_LINE},          {"Core", "lane", COLUMN_TEXT},
    {"Outcome", "outcome", COLUMN_TEXT},
};

static const struct column count_columns[] = {
    {"Address", "address", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT},
    {"Visits", "visits", COLUMN_U64},
};

// "exception CoreEvent_IRQ", with the name if the trace is available.
static void put_exception(struct visits *visits, const struct trawl_event *about)
{
    struct command *command = &visits->common;
    const struct session *session = &command->session;
    char name[LIMIT_TRACE_TEXT_BYTES], text[LIMIT_TRACE_TEXT_BYTES + 16];
    if (!command_has_text(command,
                          trace_text_exception_at(&session->view, session->trace, about, name))) {
        table_text(visits->table, "exception");
        return;
    }
    snprintf(text, sizeof text, "exception %s", name);
    table_text(visits->table, text);
}

static void put_outcome(struct visits *visits, uint64_t address, const struct trawl_event *about)
{
    if (address == TRAWL_EXCEPTIONS && (about->flags & TRAWL_EXCEPTION))
        put_exception(visits, about);
    else
        table_text(visits->table, query_outcome(about));
}

static void put_visit(struct visits *visits, uint64_t address, const struct trawl_event *about)
{
    table_address(visits->table, address);
    table_text(visits->table, query_name(&visits->common, address));
    table_u64(visits->table, about->event);
    if (index_view_has_snapshots(query_view(&visits->common))) {
        table_none(visits->table);
        table_none(visits->table);
    } else {
        table_u64(visits->table, about->time);
        table_u64(visits->table, about->line);
    }
    table_text(visits->table, query_lane_name(&visits->common, about->lane));
    put_outcome(visits, address, about);
    trace_context_cell(&visits->common.context, visits->table,
                       &(struct line_place){about->line, about->position});
}

// Steps from visit to visit, shows those that the filters select, one or all of them, and counts
// them.
static enum status step_through(struct visits *visits, uint64_t address, uint64_t event,
                                enum trawl_direction way, uint64_t *count, struct error *err)
{
    struct command *query = &visits->common;
    struct trawl_error from;
    struct trawl_event about;
    uint64_t found;
    enum trawl_status status;
    while ((status = trawl_visit(query->session.view.index, query->lane, address, event, way,
                                 &found, &from)) == TRAWL_OK &&
           (status = trawl_event(query->session.view.index, found, &about, &from)) == TRAWL_OK) {
        // All events come after TRAWL_START, which is not an event number.
        if (way == TRAWL_FORWARD ? event != TRAWL_START && found <= event : found > event) {
            status = index_view_no_progress(&from);
            break;
        }
        event = way == TRAWL_FORWARD ? found : found - 1; // before event 0 is TRAWL_START
        if (about.event > visits->last_event && way == TRAWL_FORWARD)
            return STATUS_OK;
        if (!query_wants_event(query, &about))
            continue;
        ++*count;
        if (visits->mode != OPTION_COUNT)
            put_visit(visits, address, &about);
        if (visits->mode == OPTION_NEXT || visits->mode == OPTION_PREVIOUS ||
            out_failed(visits->table->out))
            return STATUS_OK;
    }
    return status == TRAWL_NOT_FOUND ? STATUS_OK : index_status(status, &from, err);
}

// A decimal number that is never executed may have been meant as hexadecimal. Returns whether this
// was reported.
static bool report_other_base(struct visits *visits, const struct wanted *wanted)
{
    struct command *query = &visits->common;
    struct trawl_error from;
    uint64_t address, found;
    bool is_meant = other_base_address(wanted->text, &address) &&
                    trawl_visit(query->session.view.index, query->lane, address, TRAWL_START,
                                TRAWL_FORWARD, &found, &from) == TRAWL_OK;
    if (is_meant)
        other_base_report(&query->diag, wanted->text, wanted->address);
    return is_meant;
}

static void report_no_visit(struct visits *visits, const struct wanted *wanted)
{
    if (visits->mode != OPTION_COUNT) // which shows a 0
        diag_note(&visits->common.diag, "'%.200s': is not reached%s", wanted->text,
                  visits->mode == OPTION_PREVIOUS ? " up to that point"
                  : visits->mode == OPTION_NEXT   ? " after that point"
                                                  : "");
}

static enum status show(struct visits *visits, const struct wanted *wanted, struct error *err)
{
    uint64_t count = 0, point = visits->common.event;
    uint64_t first; // earlier ones are skipped
    enum status status = session_event_bounds(&visits->common.session, visits->common.lane, &first,
                                              &visits->last_event, err);
    if (status != STATUS_OK)
        return status;
    if (visits->mode == OPTION_PREVIOUS)
        status = step_through(visits, wanted->address, point, TRAWL_BACKWARD, &count, err);
    else if (visits->mode == OPTION_NEXT)
        status = step_through(visits, wanted->address, point, TRAWL_FORWARD, &count, err);
    else if (first <= visits->last_event) // before event 0 is TRAWL_START
        status = step_through(visits, wanted->address, first - 1, TRAWL_FORWARD, &count, err);
    if (status == STATUS_OK && !count && !report_other_base(visits, wanted))
        report_no_visit(visits, wanted);
    if (status == STATUS_OK && visits->mode == OPTION_COUNT) {
        table_address(visits->table, wanted->address);
        table_text(visits->table, query_name(&visits->common, wanted->address));
        table_u64(visits->table, count);
    }
    return status;
}

// --- The command ---------------------------------------------------------------------------------

// The addresses, with registers read at the point.
static bool find_addresses(struct visits *visits, enum exit_status *status)
{
    struct command *query = &visits->common;
    struct trawl_event about;
    struct error err;
    uint64_t lane;
    if (query_lane(query, query->event, &lane, &about, &err) != STATUS_OK) {
        *status = query_error(query, &err);
        return false;
    }
    for (size_t i = 0; i < visits->wanted.count; i++) {
        struct wanted *wanted = &visits->wanted.items[i];
        if (!query_value(query, wanted->text, &about, lane, query->event, &wanted->address, status))
            return false;
        wanted->address &= ~UINT64_C(1);
    }
    return true;
}

static enum exit_status report(void *self)
{
    struct visits *visits = self;
    struct out out;
    struct table table;
    struct error err;
    struct command *command = &visits->common;
    bool is_count = visits->mode == OPTION_COUNT;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!query_has_range(&visits->common, &status) || !find_addresses(visits, &status) ||
        !command_output(command, &out, &status) ||
        !command_table(command, &table, &out, is_count ? count_columns : columns,
                       is_count ? ARRAY_COUNT(count_columns) : ARRAY_COUNT(columns), &status))
        return status;
    enum status result = STATUS_OK;
    visits->table = &table;
    for (size_t i = 0; i < visits->wanted.count && result == STATUS_OK; i++)
        result = show(visits, &visits->wanted.items[i], &err);
    table_end(&table);
    return query_end(&visits->common, &out, result, &err);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct visits *visits = self;
    if (option != OPTION_POSITIONAL) {
        visits->mode = option;
        return OPTION_END;
    }
    if (!VEC_ROOM(&visits->wanted, 1))
        return options_no_memory(parser);
    visits->wanted.items[visits->wanted.count++] = (struct wanted){.text = match->value};
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct visits visits = {0};
    struct options_parser parser;
    const struct command_own own = {&visits, take};
    command_begin(&visits.common, self);
    enum exit_status status = query_options(&visits.common, &parser, argc, argv, &own)
                                  ? query_run(&visits.common, report, &visits)
                                  : parser.status;
    free(visits.wanted.items);
    command_free(&visits.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_PREVIOUS, 0, "previous", NULL, "only the last at or before POS"},
    {OPTION_NEXT, 0, "next", NULL, "only the first after POS"},
    {OPTION_COUNT, 0, "count", NULL, "only how many there are"},
    {ROW_AT},
    {ROW_TIME},
    {ROW_EVENTS},
    {ROW_LANE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {0},
};

const struct command_spec pc_command = {
    .name = "pc",
    .manner = MANNER_TRAWL,
    .needs = TRACE_ADDRESSES | TRACE_REGISTERS,
    .describe_input = trace_inputs_describe,
    .summary = "when an instruction was executed",
    .description =
        "Lists each time that the instruction at ADDR was executed, or skipped because its "
        "condition failed. ADDR is a number, a symbol, or an expression such as main+0x10 or "
        "lr-4. Address 6 stands for the exceptions of the core, each with the name that the trace "
        "gives it.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", query_trace_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, query_run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){{"TRACE", "{input}", NULL, false, false},
                                         {"ADDR", "address of an instruction", NULL, false, true},
                                         {0}},
    .examples = "trawl pc --image prog.elf run.tarmac main\n"
                "trawl pc --image prog.elf run.tarmac handler --next --at line:51042\n"
                "trawl pc run.tarmac 0x8000 0x8004 --count\n",
    .alternatives = (const int[]){TRACE_ALTERNATIVES, OPTION_PREVIOUS, OPTION_NEXT, OPTION_COUNT, 0,
                                  OPTION_COUNT, OPTION_CONTEXT, 0, 0},
    .run = run,
};
