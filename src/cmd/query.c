#include "cmd/query.h"

#include "base/limits.h"
#include "cli/suggest.h"
#include "cli/values.h"
#include "cmd/option_rows.h"
#include "cmd/report_damage.h"
#include "cmd/system.h"
#include "cmd/trace_listener.h"
#include "cmd/trace_pass.h"
#include "flow/replay.h"
#include "query/memory_space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Sets how addresses of memory are understood.
static bool see_memory(struct command *command)
{
    struct error why, err;
    const char *name = command->is_physical ? "physical" : command->space;
    const enum status status =
        memory_space_set(query_view(command)->index, name, command->lane, &why);
    if (status == STATUS_OK)
        return true;
    error_set(&err, status, "%s%s", status == STATUS_NOT_FOUND ? "--" : "", why.text);
    return command_fail(command, &err);
}

// Says that answers rest on places that are not sure.
static void report_places(struct command *command)
{
    struct trawl_place_doubts doubts;
    trawl_place_doubts(query_view(command)->index, &doubts);
    if (doubts.guessed)
        diag_warning(&command->diag,
                     "%s: 0x%" PRIx64 ": in the address space at the point, the trace shows no "
                     "access to this page, and others have it at several physical addresses: it "
                     "is shown where another space has it (--at, --space, --physical)",
                     command->session.path, doubts.address);
    else if (doubts.unknown && command->uses_memory)
        diag_warning(&command->diag,
                     "%s: 0x%" PRIx64 ": the trace shows no access to this virtual page: it is "
                     "taken as a physical address (--physical)",
                     command->session.path, doubts.address);
}

bool query_open(struct command *command)
{
    struct session *session = &command->session;
    struct error err;
    command->status = EXIT_STATUS_FAILED;
    command->event = TRAWL_START;
    enum status result = STATUS_OK;
    if (session->asks_text && session->trace && !source_is_file(session->trace->source) &&
        !source_is_mapped(session->trace->source)) {
        const char *bytes;
        uint64_t size_bytes;
        result = source_read_all(session->trace->source, &bytes, &size_bytes, &err);
    }
    if (result == STATUS_OK)
        result = session_index(session, INDEX_FOR_ANSWERS, &err);
    command->is_damaged = result == STATUS_DAMAGED && session->is_rebuildable;
    if (command->is_damaged || !command_passed(command, result, &err))
        return false;
    if (session->index.use == INDEX_ONLY)
        return true;
    // With --strict, the index must be of a trace that was read completely.
    uint64_t damaged = session->view.info.damaged_lines;
    if (session->is_strict && damaged)
        return command_fail_with(command, STATUS_INPUT, "%s: %" PRIu64 " line%s cannot be read",
                                 session->path, damaged, plural(damaged));
    if (session_find_lane(session, &command->lane, &err) != STATUS_OK)
        return command_fail(command, &err);
    return query_point(command, "--at", command->at ? command->at : "end", &command->event) &&
           see_memory(command);
}

const struct option_spec query_trace_options[] = {
    {ROW_IMAGE},    {ROW_LOAD_OFFSET}, {ROW_FORCE_IMAGE}, {ROW_NO_IMAGE_MEMORY},
    {ROW_DEMANGLE}, {ROW_NO_DEMANGLE}, {ROW_NO_OFFSETS},  {0},
};

const struct option_spec query_index_options[] = {
    {OPTION_INDEX, 0, "index", "FILE",
     "the index, built if it does not fit (default: TRACE.index)"},
    {OPTION_FORCE_INDEX, 0, "force-index", NULL, "build the index again first"},
    {OPTION_NO_INDEX, 0, "no-index", NULL, "build none: use the index as it is"},
    {OPTION_MEMORY_INDEX, 0, "memory-index", NULL,
     "build an index for this command alone and leave none"},
    {ROW_HIDDEN_SEGMENT_EVENTS}, // for our tests
    {ROW_LITTLE_ENDIAN},
    {ROW_BIG_ENDIAN},
    {ROW_IMPLICIT_THUMB},
    {ROW_ISA},
    {ROW_STRIP_PREFIX},
    {ROW_TASK_KEY},
    {0},
};

const struct option_spec query_run_options[] = {
    {ROW_OUTPUT},
    {ROW_THREADS},
    {OPTION_MAX_MEMORY, 0, "max-memory", "SIZE", MEMORY_OPTION_TEXT},
    {OPTION_VERBOSE, 'v', "verbose", NULL, "say where the index is and whether it was built"},
    {ROW_QUIET},
    {0},
};

const struct positional_spec query_positional[] = {
    {"TRACE", "{input}", NULL, false, false},
    {0},
};

// --- Options -------------------------------------------------------------------------------------

bool query_refuse_csv(const struct command *command, struct options_parser *parser)
{
    if (command->table_format != TABLE_CSV)
        return true;
    options_error(parser, "'--format': 'csv': expected table or json");
    return false;
}

// --- Errors --------------------------------------------------------------------------------------

// Reports what is wrong with something typed: the text, why, where in it, and what may have been
// meant. Without an offset it is not a misspelling.
bool query_text_fail(struct command *command, const char *option, const char *text,
                     const struct error *cause)
{
    struct error err;
    if (cause->status == STATUS_DAMAGED)
        return command_fail(command, cause);
    bool has_place = cause->offset != ERROR_NO_OFFSET;
    bool is_name = has_place && strncmp(cause->text, "unrecognized", 12) == 0;
    // Positions have no registers.
    const struct point_names known = {
        .names = &command->session.names,
        .index = strcmp(option, "--at") == 0 ? NULL : command->session.view.index,
        .isa = 0};
    char place[48] = "", hint[SUGGEST_TEXT_BYTES] = "";
    if (has_place)
        snprintf(place, sizeof place, " (character %" PRIu64 ")", cause->offset + 1);
    if (is_name || (has_place && strncmp(cause->text, "no register", 11) == 0))
        point_suggest(&known, text, cause->offset, hint);
    if (is_name && !*hint) {
        // Suggests a name for the whole text after "pc:", because names of C++ are more than one
        // word.
        static const char prefix[] = "pc:";
        struct suggestion near;
        if (strncmp(text, prefix, strlen(prefix)) == 0) {
            suggest_begin(&near, text + strlen(prefix), strlen(text + strlen(prefix)));
            names_offer(&command->session.names, &near);
            suggest_text(&near, hint);
        }
    }
    if (is_name && !*hint && !names_have_image(&command->session.names))
        snprintf(hint, sizeof hint, "; symbols need an image (--image FILE)");
    error_set(&err, cause->status, "%s%s'%.120s': %s%s%s", option, *option ? " " : "", text,
              cause->text, place, hint);
    command_fail(command, &err);
    if (command->spec->host)
        command->spec->host->failure.offset = cause->offset;
    if (has_place && !is_name && cause->status != STATUS_NOT_FOUND)
        command->status = EXIT_STATUS_USAGE;
    return false;
}

// --- The range -----------------------------------------------------------------------------------

bool query_has_range(struct command *command)
{
    struct error err;
    return session_find_range(&command->session, command->lane, &err) == STATUS_OK ||
           command_fail(command, &err);
}

// --- What was typed ------------------------------------------------------------------------------

// Snapshots have no time, no line, and no state before the first.
static enum status snapshot_of(struct command *command, const struct position *position,
                               uint64_t *event, struct error *err)
{
    const struct session *session = &command->session;
    const struct index_view *view = &session->view;
    struct trawl_event about;
    bool has_lane = command->lane != TRAWL_ANY_LANE;
    if (position->kind == POSITION_LINE || position->kind == POSITION_TIME ||
        position->kind == POSITION_START)
        return error_set_at(err, STATUS_INPUT, 0,
                            "a trace file has event:N (its frame N), byte:N, pc:ADDR#K and end");
    enum status status = point_of(view, position, command->lane, event, err);
    if (status != STATUS_OK)
        return status;
    if (*event == TRAWL_START)
        return error_set(err, STATUS_NOT_FOUND, "there is no frame");
    if (position->kind == POSITION_END && has_lane) {
        status = point_in_lane(view, command->lane, *event, &about, err);
        *event = status == STATUS_OK ? about.event : *event;
        return status;
    }
    status = index_view_event(view, *event, &about, err);
    if (status == STATUS_OK && has_lane && about.lane != command->lane)
        return error_set(err, STATUS_NOT_FOUND, "frame %" PRIu64 " is not of tracepoint %s", *event,
                         session->filter.lane);
    return status;
}

bool query_point(struct command *command, const char *option, const char *text, uint64_t *event)
{
    struct error err;
    struct position position;
    struct point_names symbols = {.names = &command->session.names, .index = NULL, .isa = 0};
    const struct expression_names names = point_names(&symbols);
    enum status result = file_position_parse(&position, text, &names, command->session.trace, &err);
    if (result == STATUS_OK && index_view_has_snapshots(query_view(command)))
        result = snapshot_of(command, &position, event, &err);
    else if (result == STATUS_OK)
        result = point_of(query_view(command), &position, command->lane, event, &err);
    return result == STATUS_OK || query_text_fail(command, option, text, &err);
}

bool query_location(struct command *command, const char *text, const struct trawl_event *at,
                    struct location *location)
{
    struct error err;
    struct point_names known = {.names = &command->session.names,
                                .index = command->session.view.index,
                                .isa = point_isa(&command->session.view, at),
                                .view = at->event == TRAWL_START ? NULL : &command->session.view,
                                .lane = at->lane,
                                .event = at->event};
    const struct expression_names names = point_c_names(&known, false);
    enum status result = location_parse(location, text, &names, &err);
    if (result != STATUS_OK)
        return query_text_fail(command, "", text, &err);
    command->uses_memory |= location->kind != LOCATION_REGISTER;
    return true;
}

bool query_memory(struct command *command, const char *text, const struct trawl_event *at,
                  struct location *location)
{
    struct error err;
    if (!query_location(command, text, at, location))
        return false;
    if (location->kind == LOCATION_REGISTER)
        error_set(&err, STATUS_INPUT,
                  "--memory '%.200s': a register; REGISTER:SIZE is the memory it points to", text);
    else if (location->size_bytes > LIMIT_QUERY_MEMORY_BYTES)
        error_set(&err, STATUS_INPUT, "--memory '%.200s': more than %d MB", text,
                  (int)(LIMIT_QUERY_MEMORY_BYTES >> 20));
    else
        return true;
    command_fail(command, &err);
    command->status = EXIT_STATUS_USAGE;
    return false;
}

bool query_address(struct command *command, const char *text, const struct location *location,
                   uint64_t lane, uint64_t event, uint64_t *address)
{
    struct error err;
    struct point_registers registers = {.view = &command->session.view,
                                        .lane = lane,
                                        .event = event,
                                        .names = &command->session.names};
    enum status result = point_address(location, &registers, address, &err);
    return result == STATUS_OK || query_text_fail(command, "", text, &err);
}

bool query_value(struct command *command, const char *text, const struct trawl_event *at,
                 uint64_t lane, uint64_t event, uint64_t *value)
{
    struct error err;
    struct point_names known = {.names = &command->session.names,
                                .index = command->session.view.index,
                                .isa = point_isa(&command->session.view, at)};
    struct point_registers registers = {
        .view = &command->session.view, .lane = lane, .event = event};
    const struct expression_names names = point_names(&known);
    struct expression expression;
    enum status result = expression_parse(&expression, text, strlen(text), &names, &err);
    if (result == STATUS_OK)
        result = point_value(&expression, &registers, value, &err);
    return result == STATUS_OK || query_text_fail(command, "", text, &err);
}

bool query_condition(struct command *command, const char *option, const char *text,
                     bool takes_events, const char *function, struct expression *condition)
{
    const struct trawl_event start = {.event = TRAWL_START};
    struct error err;
    struct point_names known = {.names = &command->session.names,
                                .index = command->session.view.index,
                                .isa = point_isa(&command->session.view, &start)};
    struct expression_names names = point_c_names(&known, true);
    struct expression_symbol symbol;
    names.takes_events = takes_events;
    if (function && names.find_symbol(names.self, function, strlen(function), &symbol))
        names.scope = (struct c_scope){.has_pc = true, .pc = symbol.address & ~UINT64_C(1)};
    return expression_parse(condition, text, strlen(text), &names, &err) == STATUS_OK ||
           query_text_fail(command, option, text, &err);
}

enum status query_lane(struct command *command, uint64_t event, uint64_t *lane,
                       struct trawl_event *about, struct error *err)
{
    *lane = command->lane;
    if (*lane == TRAWL_ANY_LANE && event == TRAWL_START) {
        *lane = 0;
    } else if (*lane == TRAWL_ANY_LANE) {
        enum status status = index_view_event(query_view(command), event, about, err);
        *lane = about->lane;
        return status;
    }
    return point_in_lane(&command->session.view, *lane, event, about, err);
}

enum status query_one_lane(struct command *command, const char *option, uint64_t *lane,
                           struct error *err)
{
    const char *trace = command->session.path;
    *lane = command->lane == TRAWL_ANY_LANE ? 0 : command->lane;
    if (command->session.view.info.lanes == 0)
        return error_set(err, STATUS_INPUT, "%s: has no instructions", trace);
    if (command->lane == TRAWL_ANY_LANE && command->session.view.info.lanes > 1)
        return error_set(err, STATUS_INPUT,
                         "%s: has several cores; %s needs one of them (--lane NAME)", trace,
                         option);
    return STATUS_OK;
}

// --- Texts ---------------------------------------------------------------------------------------

const char *query_lane_name(const struct command *command, uint64_t lane)
{
    const char *name = command->session.view.lanes[lane].name;
    return *name ? name : NULL;
}

const char *query_name(struct command *command, uint64_t pc)
{
    const char *name = names_of(&command->session.names, pc);
    return *name ? name : NULL;
}

const char *query_isa_name(const struct command *command, const struct trawl_event *about)
{
    return about->flags & TRAWL_HAS_INSTRUCTION
               ? arch_isa_name(command->session.view.arch, about->flags & TRAWL_ISA)
               : NULL;
}

const char *query_outcome(const struct trawl_event *about)
{
    if (!(about->flags & TRAWL_HAS_INSTRUCTION))
        return about->flags & TRAWL_EXCEPTION ? "exception" : NULL;
    return about->flags & TRAWL_EXECUTED ? "executed" : "skipped";
}

// --- The end -------------------------------------------------------------------------------------

// The PC of an event of a lane; 0: none.
static uint64_t pc_of(struct trawl_index *index, uint64_t event)
{
    struct trawl_event about;
    bool has_pc =
        trawl_event(index, event, &about, NULL) == TRAWL_OK && about.flags & TRAWL_HAS_INSTRUCTION;
    return has_pc ? about.pc : 0;
}

void query_put_covered_json(const struct command *command, struct json *json)
{
    const struct session *session = &command->session;
    if (!session->is_of_beginning)
        return;
    json_member_u64(json, "covered_bytes", session->view.info.file_bytes);
    json_member_u64(json, "trace_bytes", session->grown_bytes);
}

void query_put_covered(const struct command *command, struct out *out)
{
    const struct session *session = &command->session;
    if (!session->is_of_beginning)
        return;
    out_text(out, "\ncovers ");
    out_u64(out, session->view.info.file_bytes);
    out_text(out, " of ");
    out_u64(out, session->grown_bytes);
    out_text(out, " bytes of the trace\n");
}

enum exit_status query_sum_up(struct command *command)
{
    const struct trawl_info *info = &command->session.view.info;
    if (info->refused_lane_lines)
        diag_warning(&command->diag, "%s: more than %d names of cores; %" PRIu64 " line%s left out",
                     command->session.path, LIMIT_LANES, info->refused_lane_lines,
                     plural(info->refused_lane_lines));
    command_say_of_growth(command);
    const struct trace *trace = command->session.trace;
    if (trace && trace->kind->telling.sum_up)
        command_say_of_kind(command);
    command->diag.damage_count = info->damaged_lines;
    command->diag.damage_bytes = info->damaged_bytes;
    const struct index_view *view = &command->session.view;
    struct core_fit fit = {0};
    if (command->session.names.images.members.count) {
        for (uint64_t i = 0; i < view->info.lanes && !fit.fits; i++) {
            const struct trawl_lane *lane = &view->lanes[i];
            uint64_t last;
            if (lane->root == TRAWL_NONE ||
                trawl_event_of_lane(view->index, i, lane->events - 1, &last, NULL) != TRAWL_OK)
                continue;
            command_fit_core(command, &fit, pc_of(view->index, lane->root),
                             pc_of(view->index, last));
        }
        command_report_misfit(command, &fit);
    }
    report_indexed_damage(&command->diag, command->session.path, info);
    command_report_unknown_ids(command);
    if (!command->has_told_loss)
        replay_losses(command->session.view.index, command, trace_listener_note);
    struct doubts doubts;
    struct error err;
    if (command->session.reading == READING_TRUE &&
        replay_doubts(command->session.view.index, &doubts, &err) == STATUS_OK)
        report_doubts(&command->diag, command->session.path, trace, &doubts, command->uses_memory);
    report_places(command);
    struct unknown_summary unknown;
    bool is_mostly_unknown =
        replay_unknown(query_view(command)->index, &unknown, NULL) == STATUS_OK &&
        command_report_unknown(command, &unknown, info->lines);
    enum exit_status status =
        diag_end(&command->diag, command->session.path, trace ? trace->kind->words.parts : "lines");
    return is_mostly_unknown ? EXIT_STATUS_DAMAGED : status;
}

// --- Addresses without 0x ------------------------------------------------------------------------

bool other_base_address(const char *text, uint64_t *address)
{
    enum { ADDRESS_DIGITS = 16 };
    size_t length = strlen(text);
    char number[2 + ADDRESS_DIGITS + 1];
    if (!length || length > ADDRESS_DIGITS || strspn(text, "0123456789") != length)
        return false;
    snprintf(number, sizeof number, "0x%s", text);
    if (!parse_u64(number, address))
        return false;
    *address &= ~UINT64_C(1);
    return true;
}

void other_base_report(struct diag *diag, const char *text, uint64_t address)
{
    diag_warning(diag, "'%s' is read as decimal, 0x%" PRIx64 ", which is not executed; 0x%s is",
                 text, address, text);
}
