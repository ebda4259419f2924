// callinfo: where in the trace a function or an address was reached.
#include "cli/suggest.h"
#include "cli/values.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/query.h"
#include "elf/demangle.h"
#include "names/source_lines.h"
#include "query/expression.h"
#include "query/point.h"
#include "query/trace_text.h"
#include "report/out.h"
#include "session/session_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// One FUNCTION of the command line.
struct wanted {
    const char *text;
    const char *shown; // its name in the report
    bool is_address;   // given as 0x...
    bool is_function;  // found by its name, in a trace whose PCs are ids of functions
    bool is_too_large; // an address of more than 64 bits
    bool is_decimal;   // may have been meant to be hexadecimal: `other_address`
    uint64_t other_address;
    uint64_t address;        // without Thumb bit
    bool is_symbol;          // the name of a symbol
    uint64_t symbol_address; // moved by the load offset, with Thumb bit
    uint64_t symbol_bytes;
};

struct callinfo {
    struct command common;
    VEC(, struct wanted) wanted;
    VEC(, uint64_t) addresses; // for the watch list: sorted, each once
};

// "0x" and hex digits, nothing else.
static bool is_address(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && text[2] &&
           strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

static bool is_decimal(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static void read_address(struct wanted *wanted)
{
    wanted->is_address = true;
    wanted->is_too_large = !parse_u64(wanted->text, &wanted->address);
    wanted->address &= ~UINT64_C(1);
}

// Whether PCs are ids of functions.
static bool has_ids(const struct callinfo *info)
{
    const struct trace *trace = info->common.session.trace;
    return trace && !trace_can(trace, TRACE_ADDRESSES);
}

static void find_symbol(struct callinfo *info, struct wanted *wanted)
{
    struct names *names = &info->common.session.names;
    if (has_ids(info)) {
        wanted->is_address = wanted->is_too_large = false;
        wanted->is_function = names_find_id(names, wanted->text, &wanted->address);
        if (wanted->is_function)
            wanted->shown = names_of(names, wanted->address);
        return;
    }
    if (info->common.session.reading == READING_TRUE) {
        wanted->is_symbol =
            names_find_symbol(names, wanted->text, &wanted->symbol_address, &wanted->symbol_bytes);
        if (!wanted->is_symbol) {
            if (is_decimal(wanted->text)) {
                read_address(wanted);
                wanted->is_decimal = other_base_address(wanted->text, &wanted->other_address);
            }
            return;
        }
        if (info->common.session.name_options.demangle)
            wanted->shown = demangle_symbol(&names->arena, wanted->text);
    } else if (names->ttu_symbols) {
        const struct symbol *symbol = symbols_by_name(names->ttu_symbols, wanted->text);
        wanted->is_symbol = symbol != NULL;
        if (symbol) {
            wanted->symbol_address = symbol->value + info->common.session.name_options.load_offset;
            wanted->symbol_bytes = symbol->size;
        }
    }
    wanted->address = wanted->symbol_address & ~UINT64_C(1);
}

static bool is_found(const struct wanted *wanted)
{
    return wanted->is_address || wanted->is_function || wanted->is_symbol;
}

static bool make_watch_list(struct callinfo *info)
{
    if (!VEC_ROOM(&info->addresses, 2 * info->wanted.count))
        return false;
    for (size_t i = 0; i < info->wanted.count; i++) {
        const struct wanted *wanted = &info->wanted.items[i];
        if (is_found(wanted))
            info->addresses.items[info->addresses.count++] = wanted->address;
        if (wanted->is_decimal)
            info->addresses.items[info->addresses.count++] = wanted->other_address;
    }
    size_t kept = 0;
    if (info->addresses.count)
        qsort(info->addresses.items, info->addresses.count, sizeof(uint64_t), u64_compare);
    for (size_t i = 0; i < info->addresses.count; i++) {
        if (!kept || info->addresses.items[kept - 1] != info->addresses.items[i])
            info->addresses.items[kept++] = info->addresses.items[i];
    }
    info->addresses.count = kept;
    return true;
}

static uint32_t watch_of(const struct callinfo *info, uint64_t address)
{
    const uint64_t *found = bsearch(&address, info->addresses.items, info->addresses.count,
                                    sizeof(uint64_t), u64_compare);
    return (uint32_t)(found - info->addresses.items);
}

// --- Visits --------------------------------------------------------------------------------------

// Calls `show` for each visit of the address in the selected lanes. Of several visits in one node
// (exceptions can share it), the first counts. Returns how many were shown.
static uint64_t each_visit(struct callinfo *info, uint64_t address, void *context,
                           void (*show)(void *context, const struct lane_result *lane,
                                        const struct visit *visit))
{
    const struct session *session = &info->common.session;
    uint32_t watch = watch_of(info, address);
    uint64_t shown = 0;
    for (size_t l = 0; l < session->result.lane_count; l++) {
        const struct lane_result *lane = &session->result.lanes[l];
        uint64_t last_line = UINT64_MAX;
        if (!lane->nodes || !filter_takes_lane(&session->filter, lane->name))
            continue;
        for (const struct visit *visit = visit_log_first(&lane->visits, watch); visit;
             visit = visit_log_next(&lane->visits, visit)) {
            if (visit->line == last_line ||
                !call_range_has(&session->filter.range, visit->time, visit->event))
                continue;
            last_line = visit->line;
            show(context, lane, visit);
            shown++;
        }
    }
    return shown;
}

static bool is_visited(const struct callinfo *info, uint64_t address)
{
    uint32_t watch = watch_of(info, address);
    for (size_t i = 0; i < info->common.session.result.lane_count; i++) {
        const struct lane_result *lane = &info->common.session.result.lanes[i];
        if (lane->nodes && visit_log_first(&lane->visits, watch))
            return true;
    }
    return false;
}

// Whether a number of decimal digits was meant to be hexadecimal.
static bool is_of_other_base(const struct callinfo *info, const struct wanted *wanted)
{
    return wanted->is_decimal && !is_visited(info, wanted->address) &&
           is_visited(info, wanted->other_address);
}

static void report_unreached(struct callinfo *info, const struct wanted *wanted)
{
    if (info->common.session.reading == READING_TRUE && !is_of_other_base(info, wanted))
        diag_note(&info->common.diag, "'%.200s': is not reached%s", wanted->text,
                  filter_is_all(&info->common.session.filter)
                      ? ""
                      : " in the selected part of the trace");
}

// The trace's name of the exception at a visit of address 6, if the trace is available.
static bool exception_name(struct callinfo *info, const struct lane_result *lane,
                           const struct visit *visit, char text[LIMIT_TRACE_TEXT_BYTES])
{
    const struct session *session = &info->common.session;
    const struct exception_place place = {
        visit->position,
        source_text_bytes(session->trace->source),
        {.reading = session->reading,
         .implicit_state = session->implicit_thumb,
         .prefix = session->prefix},
        lane->name,
    };
    if (!source_is_file(session->trace->source)) // which was reported when it was requested
        return false;
    return command_has_text(&info->common, trace_text_exception(session->trace, &place, text));
}

struct text_context {
    struct callinfo *info;
    bool is_of_exceptions;
    uint64_t previous_line;
};

static void show_text(void *self, const struct lane_result *lane, const struct visit *visit)
{
    struct text_context *context = self;
    struct command *command = &context->info->common;
    struct out *out = &command->out;
    bool is_ttu = command->session.reading == READING_TTU;
    char name[LIMIT_TRACE_TEXT_BYTES];
    // The reference leaves out an entry on the line after the previous one.
    if (is_ttu && visit->line == context->previous_line + 1)
        return;
    context->previous_line = visit->line;
    out_text(out, " - time: ");
    out_u64(out, visit->time);
    out_text(out, " (");
    if (trace_can(command->session.trace, TRACE_LINES)) {
        out_text(out, "line:");
        out_u64(out, visit->line);
        out_text(out, ", ");
    }
    out_text(out, "pos:");
    out_u64(out, visit->position);
    out_text(out, ")");
    if (*lane->name && !is_ttu) {
        out_byte(out, ' ');
        out_clean(out, lane->name);
    }
    if (context->is_of_exceptions && exception_name(context->info, lane, visit, name)) {
        out_byte(out, ' ');
        out_clean(out, name);
    }
    out_byte(out, '\n');
    trace_context_put(&command->context, out, &(struct line_place){visit->line, visit->position});
}

static void print_heading(struct callinfo *info, const struct wanted *wanted, struct out *out)
{
    if (wanted->is_address)
        return;
    if (wanted->is_function) {
        command_put(&info->common, out, wanted->shown);
        out_text(out, " (#");
        out_u64(out, function_id(wanted->address));
        out_text(out, ") entered at :\n");
        return;
    }
    out_text(out, wanted->is_symbol || names_have_image(&info->common.session.names)
                      ? "Symbol '"
                      : "No image, symbol '");
    command_put(&info->common, out, wanted->shown);
    if (!wanted->is_symbol) {
        out_text(out, names_have_image(&info->common.session.names) ? "' not found !\n"
                                                                    : "' can not be looked up !\n");
        return;
    }
    out_text(out, "' at 0x");
    out_hex(out, wanted->symbol_address, 1);
    out_text(out, " (");
    out_u64(out, wanted->symbol_bytes);
    out_text(out, " bytes) called from :\n");
}

static void print_text(struct callinfo *info)
{
    bool is_ttu = info->common.session.reading == READING_TTU;
    struct out *out = &info->common.out;
    for (size_t i = 0; i < info->wanted.count; i++) {
        const struct wanted *wanted = &info->wanted.items[i];
        struct text_context context = {
            .info = info,
            .is_of_exceptions =
                !is_ttu && wanted->is_address && wanted->address == TRAWL_EXCEPTIONS,
            .previous_line = UINT64_MAX - 1,
        };
        if (wanted->is_address && !is_ttu) {
            command_put(&info->common, out, wanted->text);
            out_text(out, " reached at :\n");
        }
        print_heading(info, wanted, out);
        if (is_found(wanted) && !each_visit(info, wanted->address, &context, show_text))
            report_unreached(info, wanted);
    }
}

enum { WITH_ADDRESSES = 1, WITH_IDS = 2, WITH_EXCEPTIONS = 4 };

struct visit_cells {
    const char *function, *lane, *exception;
    const uint64_t *id;
    uint64_t address, time, line, position;
};

#define VALUE(name) FIELD_VALUE(struct visit_cells, name)

static const struct field fields[] = {
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address), .when = WITH_ADDRESSES},
    {"Id", "function_id", COLUMN_U64, VALUE(id), .when = WITH_IDS},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Time", "time", COLUMN_TICKS, VALUE(time)},
    {"Line", "line", COLUMN_LINE, VALUE(line), .when = WITH_ADDRESSES},
    {"Byte", "position", COLUMN_U64, VALUE(position)},
    {"Exception", "exception", COLUMN_TEXT, VALUE(exception), .when = WITH_EXCEPTIONS},
};

struct row_context {
    struct callinfo *info;
    const struct wanted *wanted;
    bool has_exceptions; // a column for them
};

static void show_row(void *self, const struct lane_result *lane, const struct visit *visit)
{
    struct row_context *context = self;
    const struct wanted *wanted = context->wanted;
    char name[LIMIT_TRACE_TEXT_BYTES];
    uint64_t id;
    bool has_name = context->has_exceptions && wanted->address == TRAWL_EXCEPTIONS &&
                    exception_name(context->info, lane, visit, name);
    command_row(&context->info->common,
                &(struct visit_cells){.function = wanted->shown,
                                      .lane = *lane->name ? lane->name : NULL,
                                      .exception = has_name ? name : NULL,
                                      .id = command_function_id(wanted->address, &id),
                                      .address = wanted->address,
                                      .time = visit->time,
                                      .line = visit->line,
                                      .position = visit->position},
                &(struct line_place){visit->line, visit->position});
}

static bool asks_for_exceptions(const struct callinfo *info)
{
    uint64_t exceptions = TRAWL_EXCEPTIONS;
    return !has_ids(info) && bsearch(&exceptions, info->addresses.items, info->addresses.count,
                                     sizeof exceptions, u64_compare);
}

// --- The command ---------------------------------------------------------------------------------

// Whether `text` is FILE:LINE; `path` then becomes the name of the file.
static bool is_line(struct names *names, const char *text, const char **path, uint32_t *line)
{
    const char *colon = strrchr(text, ':');
    uint64_t number;
    if (!colon || colon == text || colon[-1] == ':' || !is_decimal(colon + 1) ||
        !parse_u64(colon + 1, &number) || number > UINT32_MAX || !number)
        return false;
    *path = arena_copy_string(&names->arena, text, (size_t)(colon - text));
    *line = (uint32_t)number;
    names->lacks_memory |= !*path;
    return *path;
}

static void unknown_name(struct callinfo *info, const struct wanted *wanted, struct error *err)
{
    const char *path;
    uint32_t line;
    if (info->common.session.reading == READING_TRUE && !has_ids(info) &&
        is_line(&info->common.session.names, wanted->text, &path, &line)) {
        error_set(err, STATUS_NOT_FOUND, "'%.120s': no code of that line is known", wanted->text);
        return;
    }
    struct suggestion near;
    char hint[SUGGEST_TEXT_BYTES];
    suggest_begin(&near, wanted->text, strlen(wanted->text));
    names_offer(&info->common.session.names, &near);
    suggest_text(&near, hint);
    error_set(err, STATUS_NOT_FOUND, "'%.120s': no such %s%s", wanted->text,
              has_ids(info) ? "function in the instrumentation map of the image"
              : info->common.session.names.index ? "symbol in the index"
                                                 : "symbol in the image",
              hint);
}

// Under `trawl` a FUNCTION that cannot be searched for is bad input.
static bool all_are_known(struct callinfo *info)
{
    struct error err;
    bool has_image = names_have_image(&info->common.session.names);
    for (size_t i = 0; i < info->wanted.count; i++) {
        const struct wanted *wanted = &info->wanted.items[i];
        bool is_unknown = !is_found(wanted);
        if (wanted->is_too_large)
            error_set(&err, STATUS_INPUT, "'%s': address does not fit 64 bits", wanted->text);
        else if (is_unknown && has_image)
            unknown_name(info, wanted, &err);
        else if (is_unknown && has_ids(info))
            error_set(&err, STATUS_NOT_FOUND,
                      "'%s': no such function; names need an image (--image FILE), ids are written "
                      "#12",
                      wanted->text);
        else if (is_unknown)
            error_set(&err, STATUS_INPUT,
                      "'%s': a name needs an image (--image FILE); addresses "
                      "are written 0x...",
                      wanted->text);
        else
            continue;
        if (info->common.session.reading == READING_TTU && !wanted->is_too_large)
            continue;
        return command_fail(&info->common, &err);
    }
    return true;
}

// The positionals after the trace.
static int take_wanted(void *self, struct options_parser *parser, int option,
                       const struct option_match *match)
{
    struct callinfo *info = self;
    (void)option;
    if (!VEC_ROOM(&info->wanted, 1))
        return options_no_memory(parser);
    struct wanted *wanted = &info->wanted.items[info->wanted.count++];
    *wanted = (struct wanted){.text = match->value, .shown = match->value};
    if (is_address(match->value))
        read_address(wanted);
    return OPTION_END;
}

// Whether the filters select any part of the trace, even if nothing was found in it.
static bool has_any_part(const struct command *command)
{
    struct call root;
    for (size_t i = 0; i < command->session.result.lane_count; i++) {
        if (session_root(&command->session, &command->session.result.lanes[i], &root))
            return true;
    }
    return false;
}

static bool print(struct callinfo *info)
{
    struct command *command = &info->common;
    const struct session *session = &command->session;
    struct error err;
    if (!command_require_shown(command, has_any_part(command)) || !command_context(command))
        return false;
    // The names of exceptions are read from their lines, which a pipe no longer has.
    if (asks_for_exceptions(info) && session->trace) {
        if (source_lay_out(session->trace->source, &err) != STATUS_OK)
            return command_fail(command, &err);
    }
    for (size_t i = 0; i < info->wanted.count; i++) {
        const struct wanted *wanted = &info->wanted.items[i];
        if (is_of_other_base(info, wanted))
            other_base_report(&command->diag, wanted->text, wanted->address);
    }
    if (session->reading == READING_TRUE && asks_for_exceptions(info) && session->trace &&
        !source_is_file(session->trace->source))
        diag_warning(&command->diag, "%s: is not a file: names of exceptions are not shown",
                     session->path);
    if (command->table_format != TABLE_TEXT) {
        bool has_exceptions = asks_for_exceptions(info);
        unsigned bits =
            (has_ids(info) ? WITH_IDS : WITH_ADDRESSES) | (has_exceptions ? WITH_EXCEPTIONS : 0);
        if (!command_fields(&info->common, fields, ARRAY_COUNT(fields), bits))
            return false;
        for (size_t i = 0; i < info->wanted.count; i++) {
            struct row_context context = {info, &info->wanted.items[i], has_exceptions};
            if (is_found(context.wanted) &&
                !each_visit(info, context.wanted->address, &context, show_row))
                report_unreached(info, context.wanted);
        }
        return true;
    }
    if (!command_output(command))
        return false;
    print_text(info);
    return true;
}

// Opens the index for its names, if there is no image.
static enum status open_names(struct callinfo *info, struct error *err)
{
    struct session *session = &info->common.session;
    if (names_have_image(&session->names))
        return STATUS_OK;
    enum status status = session_index(session, INDEX_FOR_NAMES, err);
    if (status == STATUS_OK && session->view.index)
        status = names_take_index(&session->names, session->view.index, err);
    if (status != STATUS_DAMAGED)
        return status;
    session_tell_damaged(session, session->view.index);
    return STATUS_OK;
}

// "main.c:12 at 0x8004". NULL: no memory.
static const char *text_of_start(struct names *names, const char *text, uint64_t address)
{
    size_t size = strlen(text) + 32;
    char *made = arena_alloc(&names->arena, size);
    names->lacks_memory |= !made;
    if (made)
        snprintf(made, size, "%s at 0x%" PRIx64, text, address);
    return made;
}

// A line stands for the addresses where its code begins: the first takes its place, the others are
// appended.
static enum status find_line(struct callinfo *info, struct source_lines *lines, size_t number,
                             struct error *err)
{
    struct names *names = &info->common.session.names;
    const char *text = info->wanted.items[number].text, *path;
    struct address_vec starts = {0};
    uint32_t line;
    if (!is_line(names, text, &path, &line))
        return STATUS_OK;
    enum status status = source_lines_starts(lines, names, path, line, &starts, err);
    if (status == STATUS_OK && !VEC_ROOM(&info->wanted, starts.count))
        status = error_set(err, STATUS_MEMORY, "no memory for the code of a line");
    for (size_t i = 0; i < starts.count && status == STATUS_OK; i++) {
        size_t at = i ? info->wanted.count++ : number;
        info->wanted.items[at] =
            (struct wanted){.text = text_of_start(names, text, starts.items[i]),
                            .shown = text,
                            .is_address = true,
                            .address = starts.items[i]};
    }
    free(starts.items);
    return status;
}

// Symbols come first: their names may look like lines.
static enum status find_lines(struct callinfo *info, struct error *err)
{
    struct source_lines lines = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0, count = info->wanted.count; i < count && status == STATUS_OK; i++) {
        if (!is_found(&info->wanted.items[i]) && !has_ids(info))
            status = find_line(info, &lines, i, err);
    }
    info->common.session.names.lacks_memory |= source_lines_lacked_memory(&lines);
    source_places_end(&info->common, &lines);
    return status;
}

// What is neither a symbol nor a line may be an expression: main+0x10. Nothing is known of
// registers and memory.
static void find_values(struct callinfo *info)
{
    struct point_names known = {.names = &info->common.session.names};
    const struct expression_names names = point_names(&known);
    const struct expression_registers nothing = {.self = NULL};
    for (size_t i = 0; i < info->wanted.count && !has_ids(info); i++) {
        struct wanted *wanted = &info->wanted.items[i];
        struct expression expression;
        struct error err;
        if (is_found(wanted) || expression_parse(&expression, wanted->text, strlen(wanted->text),
                                                 &names, &err) != STATUS_OK)
            continue;
        wanted->is_address =
            expression_evaluate(&expression, &nothing, &wanted->address, &err) == STATUS_OK;
        wanted->address &= ~UINT64_C(1);
    }
}

static bool report(void *self)
{
    struct callinfo *info = self;
    struct command *command = &info->common;
    // Searches for what was typed in the images, or, without any, in the names of the index.
    struct session *session = &info->common.session;
    struct names *names = &session->names;
    struct error err;
    enum status opened = open_names(info, &err);
    for (size_t i = 0; i < info->wanted.count && opened == STATUS_OK; i++) {
        if (!info->wanted.items[i].is_address || has_ids(info))
            find_symbol(info, &info->wanted.items[i]);
    }
    if (opened == STATUS_OK && session->reading == READING_TRUE) {
        opened = find_lines(info, &err);
        find_values(info);
    }
    if (opened == STATUS_OK && names->lacks_memory)
        opened = error_set(&err, STATUS_MEMORY, "%s: no memory for names", session->path);
    // The reference finds bad addresses only after the pass, so its warnings come first.
    bool is_known = opened == STATUS_OK ? session->reading == READING_TTU || all_are_known(info)
                                        : command_fail(&info->common, &err);
    names->index = NULL;
    session_close_view(session);
    if (!is_known)
        return false;
    if (!make_watch_list(info))
        return command_fail_with(command, STATUS_MEMORY, "no memory");
    const struct watch_list watch = {info->addresses.items, info->addresses.count};
    // Calls only matter for debug output.
    const struct call_consumer *calls = command->debug_calls ? &call_consumer_none : NULL;
    bool is_ttu = command->session.reading == READING_TTU;
    return command_pass(command, calls, &watch) && (!is_ttu || all_are_known(info)) && print(info);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct callinfo info = {0};
    command_begin(&info.common, self);
    enum exit_status status = command_run(
        &info.common, argc, argv, &(struct command_steps){&info, take_wanted, NULL, report});
    free(info.wanted.items);
    free(info.addresses.items);
    return status;
}

static const struct option_spec own_options[] = {
    TRACE_CONTEXT_OPTION, {ROW_FORMAT},     {ROW_WIDE}, {ROW_TIME},
    {ROW_LANE_EVENTS},    {ROW_OLD_EVENTS}, {ROW_LANE}, {0},
};

const struct command_spec callinfo_command = {
    .name = "callinfo",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CALLS,
    .describe_input = trace_inputs_describe,
    .summary = "where a function or an address was reached",
    .description =
        "Lists every execution of the given address, or of the first instruction of the given "
        "function. Address 6 lists the exceptions of the core, each with the name that the trace "
        "gives it. Times are ticks of the trace; pos is the byte offset at which the line begins.\n"
        "'trawl calls' is a table of calls, with their times, arguments and results; 'trawl "
        "calltree' shows which call was made in which.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"how to read the trace", image_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {"the index", index_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "Tarmac trace to read; - for standard input", NULL, false, false},
            {"FUNCTION",
             "symbol of the image, a source line (main.c:12), or an address (0x8000, main+0x10); "
             "of "
             "an XRay log a function, or #ID",
             NULL, false, true},
            {0}},
    .examples = "trawl callinfo --image prog.elf run.tarmac main\n"
                "trawl callinfo --image prog.elf run.tarmac main.c:12\n"
                "trawl callinfo --format csv run.tarmac 0x8000 0x80f4\n",
    .alternatives = trace_alternatives,
    .run = run,
};

const struct command_spec tarmac_callinfo_command = {
    .name = "tarmac-callinfo",
    .option_set = OPTIONS_TTU,
    .groups = (const struct option_group[]){{"options", ttu_options}, {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACEFILE", "Tarmac trace file to read", NULL, false, false},
            {"FUNCTION", "name or hex address of function to find calls to",
             "expected at least one function name", false, true},
            {0}},
    .run = run,
};
