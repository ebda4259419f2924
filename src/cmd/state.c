// state: registers and memory at a point of the trace.
#include "cmd/option_rows.h"
#include "cmd/query.h"
#include "cmd/source_places.h"
#include "cmd/state_diff.h"
#include "cmd/state_snapshot.h"

#include "cmd/commands.h"
#include "report/clean.h"
#include "report/hexdump.h"
#include "report/value.h"

#include <stdlib.h>

enum { OPTION_MEMORY = QUERY_OPTION_OWN, OPTION_DIFF, OPTION_REGISTERS, OPTION_ALL };

// Registers are next to each other up to this width.
enum { LINE_WIDTH = 100 };

// Where the next register continues on the line.
struct layout {
    struct out *out;
    size_t column;
    size_t width; // of a register on this line
    int group;    // enum register_group of the previous one, -1: none yet
};

static void put_register(struct layout *layout, const struct register_entry *entry,
                         const struct register_value *value)
{
    char text[VALUE_TEXT_MAX];
    size_t name_length = strlen(entry->name);
    size_t length = value_number(text, value->values, value->known, value->size_bytes);
    size_t name_width = name_length < 7 ? 7 : name_length + 1;
    size_t width = name_width + length;
    int group = (int)register_group(&entry->which);
    bool is_new_group = layout->group != group;
    if (layout->column &&
        (is_new_group || width != layout->width || layout->column + 2 + width > LINE_WIDTH)) {
        out_byte(layout->out, '\n');
        layout->column = 0;
    }
    if (layout->column)
        out_pad(layout->out, 2);
    out_text(layout->out, entry->name);
    out_pad(layout->out, name_width - name_length);
    out_text(layout->out, text);
    layout->column += width + (layout->column ? 2 : 0);
    layout->width = width;
    layout->group = group;
}

static enum status put_registers(struct state *state, uint64_t lane, struct error *err)
{
    struct register_set set = {0};
    struct layout layout = {.out = state->out, .group = -1};
    uint64_t event = state->common.event;
    enum status status = state_registers_of(state, lane, event, &set, err);
    out_byte(state->out, '\n');
    if (query_lane_name(&state->common, lane)) {
        out_clean(state->out, query_lane_name(&state->common, lane));
        out_text(state->out, ":\n");
    }
    for (size_t i = 0; i < set.count && status == STATUS_OK; i++) {
        struct register_value value;
        status = register_read(&state->common.session.view, lane, event, &set.items[i].which,
                               &value, err);
        if (status == STATUS_OK && (value.known_bytes || state->shows_unknown))
            put_register(&layout, &set.items[i], &value);
    }
    out_text(state->out, layout.column ? "\n" : "no register is known\n");
    register_set_free(&set);
    return status;
}

static void put_register_json(struct json *json, const struct register_entry *entry,
                              const struct register_value *value)
{
    char text[VALUE_TEXT_MAX];
    value_number(text, value->values, value->known, value->size_bytes);
    json_key(json, entry->name);
    json_begin_object(json);
    state_put_member(json, "value", value->known_bytes ? text : NULL);
    json_key(json, "known");
    json_bool(json, value->known_bytes == value->size_bytes);
    json_end_object(json);
}

static enum status put_registers_json(struct state *state, uint64_t lane, struct error *err)
{
    struct register_set set = {0};
    struct json *json = &state->json;
    uint64_t event = state->common.event;
    enum status status = state_registers_of(state, lane, event, &set, err);
    json_begin_object(json);
    state_put_member(json, "lane", query_lane_name(&state->common, lane));
    json_key(json, "registers");
    json_begin_object(json);
    for (size_t i = 0; i < set.count && status == STATUS_OK; i++) {
        struct register_value value;
        status = register_read(&state->common.session.view, lane, event, &set.items[i].which,
                               &value, err);
        if (status == STATUS_OK)
            put_register_json(json, &set.items[i], &value);
    }
    json_end_object(json);
    json_end_object(json);
    register_set_free(&set);
    return status;
}

// --- Memory --------------------------------------------------------------------------------------

static enum status put_memory(struct state *state, const struct state_memory *memory,
                              struct error *err)
{
    struct state_piece piece;
    struct hexdump dump;
    enum status status = STATUS_OK;
    out_byte(state->out, '\n');
    out_clean(state->out, memory->text);
    out_text(state->out, ":\n");
    hexdump_begin(&dump, state->out, memory->address, memory->size_bytes, !state->shows_unknown);
    for (uint64_t done = 0; done < memory->size_bytes && status == STATUS_OK;
         done += piece.size_bytes) {
        bool known[STATE_PIECE_BYTES];
        status = state_read_piece(state, memory, done, state->common.event, &piece, err);
        for (size_t i = 0; i < piece.size_bytes; i++)
            known[i] = piece.known[i];
        if (status == STATUS_OK)
            hexdump_bytes(&dump, piece.values, known, piece.size_bytes);
    }
    hexdump_end(&dump);
    return status;
}

static enum status put_memory_json(struct state *state, const struct state_memory *memory,
                                   struct error *err)
{
    struct state_piece piece;
    struct json *json = &state->json;
    enum status status = STATUS_OK;
    char *text = malloc((size_t)memory->size_bytes * 2 + 1);
    if (!text)
        return error_set(err, STATUS_MEMORY, "no memory for '%.200s'", memory->text);
    for (uint64_t done = 0; done < memory->size_bytes && status == STATUS_OK;
         done += piece.size_bytes) {
        status = state_read_piece(state, memory, done, state->common.event, &piece, err);
        if (status == STATUS_OK)
            value_bytes(text + 2 * done, piece.values, piece.known, piece.size_bytes);
    }
    json_begin_object(json);
    json_key(json, "address");
    json_address(json, memory->address);
    state_put_member_u64(json, "size", memory->size_bytes);
    state_put_member(json, "bytes", status == STATUS_OK ? text : NULL);
    json_end_object(json);
    free(text);
    return status;
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_text(struct state *state, struct error *err)
{
    enum status status = state_put_point(state, state->common.event, err);
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++)
        status = put_registers(state, lane, err);
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = put_memory(state, &state->memory.items[i], err);
    return status;
}

static enum status put_json(struct state *state, struct error *err)
{
    struct json *json = &state->json;
    json_begin_object(json);
    json_key(json, "position");
    enum status status = state_put_point_json(state, state->common.event, err);
    json_key(json, "lanes");
    json_begin_array(json);
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++)
        status = put_registers_json(state, lane, err);
    json_end_array(json);
    json_key(json, "memory");
    json_begin_array(json);
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = put_memory_json(state, &state->memory.items[i], err);
    json_end_array(json);
    query_put_covered_json(&state->common, json);
    json_end_object(json);
    return status;
}

static enum exit_status report(struct state *state)
{
    struct out out;
    struct error err;
    bool is_json = state->common.table_format == TABLE_JSON;
    enum exit_status status = EXIT_STATUS_FAILED;
    enum status result;
    if (!command_context(&state->common, &status) || !command_output(&state->common, &out, &status))
        return status;
    state->out = &out;
    json_begin(&state->json, &out, 2);
    if (index_view_has_snapshots(query_view(&state->common)))
        result = state_put_snapshot(state, is_json, &err);
    else if (is_json)
        result = state->diff ? state_diff_put_json(state, &err) : put_json(state, &err);
    else
        result = state->diff ? state_diff_put(state, &err) : put_text(state, &err);
    if (!source_places_end(&state->common, &state->lines) && result == STATUS_OK)
        result = error_set(&err, STATUS_MEMORY, "no memory for source lines");
    if (result == STATUS_OK && is_json)
        json_end(&state->json);
    else if (result == STATUS_OK)
        query_put_covered(&state->common, &out);
    return query_end(&state->common, &out, result, &err);
}

// --- The command ---------------------------------------------------------------------------------

static bool find_memory(struct state *state, const struct trawl_event *about, uint64_t lane,
                        enum exit_status *status)
{
    struct command *query = &state->common;
    for (size_t i = 0; i < state->memory.count; i++) {
        struct state_memory *memory = &state->memory.items[i];
        struct location location;
        if (!query_memory(query, memory->text, about, &location, status))
            return false;
        memory->size_bytes = location.size_bytes;
        if (!query_address(query, memory->text, &location, lane, query->event, &memory->address,
                           status))
            return false;
    }
    return true;
}

static bool has_no_memory(struct state *state, const char *thing, enum exit_status *status)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "no memory for '%.200s'", thing);
    *status = query_error(&state->common, &err);
    return false;
}

// Adds a register to the named ones.
static bool add_register(struct state *state, const char *name, enum exit_status *status)
{
    size_t length = strlen(name);
    if (!VEC_ROOM(&state->named, length + 2))
        return has_no_memory(state, name, status);
    if (state->named.count)
        state->named.items[state->named.count++] = ',';
    memcpy(state->named.items + state->named.count, name, length);
    state->named.count += length;
    return true;
}

// Separates named registers from memory. Those of --registers come first.
static bool sort_things(struct state *state, const struct trawl_event *about,
                        enum exit_status *status)
{
    bool of_snapshots = index_view_has_snapshots(query_view(&state->common));
    if (state->things.count && state->registers && !add_register(state, state->registers, status))
        return false;
    for (size_t i = 0; i < state->things.count; i++) {
        // GDB writes variables of trace state with a $.
        const char *thing =
            state->things.items[i] + (of_snapshots && *state->things.items[i] == '$');
        struct location location;
        state->things.items[i] = thing;
        if (!query_location(&state->common, thing, about, &location, status))
            return false;
        if (location.kind == LOCATION_REGISTER) {
            bool is_pc = location.which.size_bytes == 0; // which is shown with the point
            if (!is_pc && !of_snapshots && !add_register(state, thing, status))
                return false;
            continue;
        }
        if (!VEC_ROOM(&state->memory, 1))
            return has_no_memory(state, thing, status);
        state->memory.items[state->memory.count++] = (struct state_memory){.text = thing};
    }
    if (state->named.count) {
        state->named.items[state->named.count] = 0; // add_register left room
        state->registers = state->named.items;
    }
    return true;
}

// Checks the registers before anything is written.
static bool check_registers(struct state *state, enum exit_status *status)
{
    for (uint64_t lane = state_first_lane(state); lane < state_end_lane(state); lane++) {
        struct register_set set = {0};
        struct error err;
        uint64_t event = state->diff ? state->other : state->common.event;
        bool is_sound = state_registers_of(state, lane, event, &set, &err) == STATUS_OK;
        register_set_free(&set);
        if (is_sound)
            continue;
        *status = query_text_error(&state->common, "--registers",
                                   state->registers ? state->registers : "", &err);
        return false;
    }
    return true;
}

static bool check(struct state *state, enum exit_status *status)
{
    struct command *query = &state->common;
    struct trawl_event about;
    struct error err;
    uint64_t lane;
    if (state->diff && !query_point(query, "--diff", state->diff, &state->other, status))
        return false;
    if (query_lane(query, query->event, &lane, &about, &err) != STATUS_OK) {
        *status = query_error(query, &err);
        return false;
    }
    return sort_things(state, &about, status) && check_registers(state, status) &&
           find_memory(state, &about, lane, status);
}

static enum exit_status answer(void *self)
{
    struct state *state = self;
    enum exit_status status = EXIT_STATUS_FAILED;
    return check(state, &status) ? report(state) : status;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct state *state = self;
    switch (option) {
    case OPTION_POSITIONAL:
        if (!VEC_ROOM(&state->things, 1))
            return options_no_memory(parser);
        state->things.items[state->things.count++] = match->value;
        return OPTION_END;
    case OPTION_MEMORY:
        if (!VEC_ROOM(&state->memory, 1))
            return options_no_memory(parser);
        state->memory.items[state->memory.count++] = (struct state_memory){.text = match->value};
        return OPTION_END;
    case OPTION_DIFF:
        state->diff = match->value;
        return OPTION_END;
    case OPTION_REGISTERS:
        state->registers = match->value;
        return OPTION_END;
    default:
        state->shows_unknown = true;
        return OPTION_END;
    }
}

static bool take_all(struct state *state, struct options_parser *parser, int argc,
                     char *const *argv)
{
    const struct command_own own = {state, take};
    return query_options(&state->common, parser, argc, argv, &own) &&
           query_refuse_csv(&state->common, parser);
}

// A frame only has its own registers, and only memory can be unknown.
static const struct option_kinds needed_abilities[] = {
    {OPTION_DIFF, 0, TRACE_SNAPSHOTS},
    {OPTION_REGISTERS, 0, TRACE_SNAPSHOTS},
    {OPTION_ALL, 0, TRACE_SNAPSHOTS},
    {OPTION_LINES, TRACE_ADDRESSES, TRACE_SNAPSHOTS},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct state state = {0};
    struct options_parser parser;
    command_begin(&state.common, self);
    state.common.own_options = needed_abilities;
    enum exit_status status = take_all(&state, &parser, argc, argv)
                                  ? query_run(&state.common, answer, &state)
                                  : parser.status;
    free(state.things.items);
    free(state.named.items);
    free(state.memory.items);
    command_free(&state.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "line:N, time:N, event:N, byte:N, pc:ADDR[#K] (the K-th visit), start or end (default)"},
    {ROW_LANE},
    {OPTION_REGISTERS, 0, "registers", "LIST",
     "core (default: general and vector), general, vector, system (status, control "
     "and all others that the trace names), all (also s, q, z and p), or names, separated by "
     "commas"},
    {OPTION_MEMORY, 0, "memory", "ADDR[:SIZE]",
     "also this memory; ADDR is a number, a symbol, or an expression such as sp+16; may be given "
     "several times"},
    {OPTION_DIFF, 0, "diff", "POS2",
     "show the differences at POS2: registers and all memory stored to between the points, or only "
     "those of --memory and --registers"},
    {OPTION_LINES, 0, "lines", NULL, "also show the source line of the point"},
    {OPTION_ALL, 0, "all", NULL, "also show registers and memory that are completely unknown"},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT_WITHOUT_CSV},
    {0},
};

const struct command_spec state_command = {
    .name = "state",
    .manner = MANNER_TRAWL,
    .needs = TRACE_REGISTERS,
    .describe_input = trace_inputs_describe,
    .summary = "registers and memory at a point",
    .description =
        "Shows the registers and memory after the event at POS, as far as the trace reveals them: "
        "the registers of the core, or only each WHAT. A symbol alone means all of its bytes. An "
        "unknown byte is shown as '..'. A byte of memory is known from the last store or load of "
        "it, or from a later load if nothing was stored in between, even if that load is after "
        "POS. If a load shows another value than memory had, something else changed it (a device, "
        "DMA, another master): from there on it has that value, between the last access that "
        "agrees and the load it is unknown, and a message counts such loads.\n"
        "Fields of JSON: position (event, time, line, byte, lane, pc, function, isa, executed, "
        "text; with --context context), lanes (lane, registers: name to value and known), memory "
        "(address, size, bytes). "
        "Values are strings: numbers as 0x and all digits, memory as bytes in the order of their "
        "addresses, '..' for an unknown byte; a field without a value is null. With --diff: from "
        "and to (positions), lanes (lane, registers: name to from and to), memory (address, size, "
        "from, to).\n"
        "For a GDB trace file, each frame is an event: shows what was collected in that frame and "
        "nothing from earlier ones. Fields of JSON: position, registers and variables (name to "
        "value), memory.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", query_trace_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, query_run_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "{input}", NULL, false, false},
            {"WHAT", "only this: a register, or memory as ADDR or ADDR:SIZE", NULL, true, true},
            {0}},
    .examples = "trawl state run.tarmac x0 sp:64 --at 'pc:memcpy#3'\n"
                "trawl state run.tarmac --at time:1000 --memory sp:64\n"
                "trawl state --image prog.elf run.tarmac --at pc:main --registers general\n"
                "trawl state run.tarmac --at event:10 --diff event:20 --memory 0x8000:256\n",
    .alternatives = trace_alternatives,
    .run = run,
};
