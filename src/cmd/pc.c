// pc: when an instruction was executed.
#include "cli/values.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/query.h"
#include "query/trace_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_PREVIOUS = OPTION_OWN, OPTION_NEXT, OPTION_COUNT };

struct wanted {
    const char *text;
    uint64_t address;
};

struct visits {
    struct command common;
    VEC(, struct wanted) wanted;
    int mode;            // OPTION_PREVIOUS, OPTION_NEXT, OPTION_COUNT; 0: all
    uint64_t last_event; // later ones are not wanted
};

enum { OF_VISITS = 1, OF_COUNTS = 2 }; // bits of field.when

struct visit_cells {
    uint64_t address, event, visits;
    const uint64_t *time, *line; // NULL: of a snapshot
    const char *function, *lane, *outcome;
};

#define VALUE(name) FIELD_VALUE(struct visit_cells, name)

static const struct field fields[] = {
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Event", "event", COLUMN_U64, VALUE(event), .when = OF_VISITS},
    {"Time", "time", COLUMN_TICKS, VALUE(time), .when = OF_VISITS},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = OF_VISITS},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane), .when = OF_VISITS},
    {"Outcome", "outcome", COLUMN_TEXT, VALUE(outcome), .when = OF_VISITS},
    {"Visits", "visits", COLUMN_U64, VALUE(visits), .when = OF_COUNTS},
};

// --- One address ---------------------------------------------------------------------------------

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
        if (visits->mode != OPTION_COUNT) {
            struct command *command = &visits->common;
            const struct session *session = &command->session;
            bool is_snapshot = index_view_has_snapshots(query_view(command));
            char name[LIMIT_TRACE_TEXT_BYTES], text[LIMIT_TRACE_TEXT_BYTES + 16] = "exception";
            bool is_exception = address == TRAWL_EXCEPTIONS && (about.flags & TRAWL_EXCEPTION);
            // "exception CoreEvent_IRQ", with the name if the trace is available.
            if (is_exception &&
                command_has_text(
                    command, trace_text_exception_at(&session->view, session->trace, &about, name)))
                snprintf(text, sizeof text, "exception %s", name);
            command_row(
                command,
                &(struct visit_cells){.address = address,
                                      .function = query_name(command, address),
                                      .event = about.event,
                                      .time = is_snapshot ? NULL : &about.time,
                                      .line = is_snapshot ? NULL : &about.line,
                                      .lane = query_lane_name(command, about.lane),
                                      .outcome = is_exception ? text : query_outcome(&about)},
                &(struct line_place){about.line, about.position});
        }
        if (visits->mode == OPTION_NEXT || visits->mode == OPTION_PREVIOUS ||
            out_failed(&query->out))
            return STATUS_OK;
    }
    return status == TRAWL_NOT_FOUND ? STATUS_OK : index_status(status, &from, err);
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
    if (status == STATUS_OK && !count) {
        // Reports that an address was not reached. A decimal number may have been meant as
        // hexadecimal.
        struct command *command = &visits->common;
        uint64_t address, found;
        if (other_base_address(wanted->text, &address) &&
            trawl_visit(query_view(command)->index, command->lane, address, TRAWL_START,
                        TRAWL_FORWARD, &found, NULL) == TRAWL_OK)
            other_base_report(&command->diag, wanted->text, wanted->address);
        else if (visits->mode != OPTION_COUNT) // which shows a 0
            diag_note(&command->diag, "'%.200s': is not reached%s", wanted->text,
                      visits->mode == OPTION_PREVIOUS ? " up to that point"
                      : visits->mode == OPTION_NEXT   ? " after that point"
                                                      : "");
    }
    if (status == STATUS_OK && visits->mode == OPTION_COUNT)
        command_row(&visits->common,
                    &(struct visit_cells){.address = wanted->address,
                                          .function = query_name(&visits->common, wanted->address),
                                          .visits = count},
                    NULL);
    return status;
}

// --- The command ---------------------------------------------------------------------------------

// The addresses, with registers read at the point.
static bool find_addresses(struct visits *visits)
{
    struct command *query = &visits->common;
    struct trawl_event about;
    struct error err;
    uint64_t lane;
    if (query_lane(query, query->event, &lane, &about, &err) != STATUS_OK)
        return command_fail(query, &err);
    for (size_t i = 0; i < visits->wanted.count; i++) {
        struct wanted *wanted = &visits->wanted.items[i];
        if (!query_value(query, wanted->text, &about, lane, query->event, &wanted->address))
            return false;
        wanted->address &= ~UINT64_C(1);
    }
    return true;
}

static bool report(void *self)
{
    struct visits *visits = self;
    struct command *command = &visits->common;
    struct error err;
    if (!query_has_range(command) || !find_addresses(visits) ||
        !command_fields(command, fields, ARRAY_COUNT(fields),
                        visits->mode == OPTION_COUNT ? OF_COUNTS : OF_VISITS))
        return false;
    for (size_t i = 0; i < visits->wanted.count; i++) {
        if (show(visits, &visits->wanted.items[i], &err) != STATUS_OK)
            return command_fail(command, &err);
    }
    return true;
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
    command_begin(&visits.common, self);
    visits.common.asks_index = true;
    enum exit_status status = command_run(&visits.common, argc, argv,
                                          &(struct command_steps){&visits, take, NULL, report});
    free(visits.wanted.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_PREVIOUS, 0, "previous", NULL, "only the last at or before POS"},
    {OPTION_NEXT, 0, "next", NULL, "only the first after POS"},
    {OPTION_COUNT, 0, "count", NULL, "only how many there are"},
    {ROW_AT},
    {ROW_TIME},
    {ROW_LANE_EVENTS},
    {ROW_OLD_EVENTS},
    {ROW_LANE},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_WIDE},
    {0},
};

const struct command_spec pc_command = {
    .name = "pc",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_ADDRESSES | TRACE_REGISTERS,
    .describe_input = trace_inputs_describe,
    .summary = "when an instruction was executed",
    .description =
        "Lists each time that the instruction at ADDR was executed, or skipped because its "
        "condition failed. ADDR is a number, a symbol, or an expression such as main+0x10 or "
        "lr-4. Address 6 stands for the exceptions of the core, each with the name that the trace "
        "gives it.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
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
