// state: registers and memory at a point of the trace.
#include "cmd/state.h"
#include "cmd/driver.h"

#include "base/limits.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "elf/image_memory.h"
#include "query/trace_text.h"
#include "report/out.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPTION_MEMORY = OPTION_OWN, OPTION_DIFF, OPTION_REGISTERS, OPTION_ALL };

// --- The point -----------------------------------------------------------------------------------

static void put_point_text(struct state *state, const struct trawl_event *about, bool has_pc,
                           const char *file_line, const char *text)
{
    struct out *out = &state->common.out;
    const char *lane = query_lane_name(&state->common, about->lane);
    out_text(out, "event ");
    out_u64(out, about->event);
    out_text(out, ", time ");
    out_u64(out, about->time);
    out_byte(out, ' ');
    out_text(out, query_tick_unit(&state->common));
    out_text(out, ", line ");
    out_u64(out, about->line);
    out_text(out, ", byte ");
    out_u64(out, about->position);
    if (file_line) {
        out_text(out, ", ");
        out_clean(out, file_line);
    }
    if (lane) {
        out_text(out, ", ");
        out_clean(out, lane);
    }
    out_byte(out, '\n');
    if (has_pc) {
        // Writes the name of a function, if it has one, and its source place, if requested and
        // known.
        uint64_t pc = about->pc;
        char place[SOURCE_PLACE_BYTES];
        const char *name = query_name(&state->common, pc);
        out_text(out, "0x");
        out_hex(out, names_address(&state->common.session.names, pc) & ~UINT64_C(1), 8);
        out_byte(out, ' ');
        if (name) {
            out_clean(out, name);
            out_byte(out, ' ');
        }
        if (state->common.split_by & SPLIT_LINES &&
            source_lines_text(&state->lines, &state->common.session.names, pc, place)) {
            out_clean(out, place);
            out_byte(out, ' ');
        }
    }
    if (about->flags & TRAWL_HAS_INSTRUCTION) {
        out_text(out, query_isa_name(&state->common, about));
        out_byte(out, ' ');
        out_text(out, query_outcome(about));
        if (text) {
            out_text(out, ": ");
            out_clean(out, text);
        }
        out_byte(out, '\n');
    } else {
        out_text(out, about->flags & TRAWL_EXCEPTION ? "exception\n"
                      : has_pc                       ? "(no instruction of its own)\n"
                                                     : "no instruction\n");
    }
    trace_context_put(&state->common.context, out,
                      &(struct line_place){about->line, about->position});
}

static void put_point_json(struct state *state, const struct trawl_event *about, bool has_pc,
                           const char *file_line, const char *text)
{
    struct json *json = &state->json;
    struct command *command = &state->common;
    char place[SOURCE_PLACE_BYTES];
    json_begin_object(json);
    json_member_u64(json, "event", about->event);
    json_member_u64(json, "time", about->time);
    json_member_u64(json, "line", about->line);
    if (file_line)
        json_member_text(json, "file_line", file_line);
    json_member_u64(json, "byte", about->position);
    json_member_text(json, "lane", query_lane_name(command, about->lane));
    if (has_pc)
        json_member_address(json, "pc",
                            names_address(&command->session.names, about->pc) & ~UINT64_C(1));
    else
        json_member_text(json, "pc", NULL);
    json_member_text(json, "function", has_pc ? query_name(command, about->pc) : NULL);
    json_member_text(json, "isa", query_isa_name(&state->common, about));
    if (about->flags & TRAWL_HAS_INSTRUCTION)
        json_member_bool(json, "executed", about->flags & TRAWL_EXECUTED);
    else
        json_member_text(json, "executed", NULL);
    json_member_text(json, "text", text);
    if (command->split_by & SPLIT_LINES)
        json_member_text(
            json, "place",
            has_pc && source_lines_text(&state->lines, &command->session.names, about->pc, place)
                ? place
                : NULL);
    if (command->context.is_open)
        json_member_text(json, "context",
                         trace_context_text(&command->context, &command->out,
                                            &(struct line_place){about->line, about->position}));
    json_end_object(json);
}

enum status state_put_point(struct state *state, const char *key, uint64_t event, struct error *err)
{
    struct command *command = &state->common;
    const struct session *session = &command->session;
    const struct index_view *view = query_view(command);
    struct trawl_event about;
    char text[LIMIT_TRACE_TEXT_BYTES];
    bool has_pc;
    if (state->is_json)
        json_key(&state->json, key);
    if (event == TRAWL_START) {
        if (state->is_json)
            json_text(&state->json, NULL);
        else
            out_text(&command->out, "before the first event\n");
        return STATUS_OK;
    }
    // An event without an instruction has the PC of the one that it belongs to, if has_pc.
    enum status status = index_view_event(view, event, &about, err);
    if (status == STATUS_OK)
        status = index_view_origin(view, &about, &has_pc, err);
    if (status != STATUS_OK)
        return status;
    bool has_text =
        about.flags & TRAWL_HAS_INSTRUCTION &&
        command_has_text(command, trace_text_instruction(view, session->trace, &about, text));
    (state->is_json ? put_point_json : put_point_text)(
        state, &about, has_pc, file_place_of_line(session->trace, about.line, command->place),
        has_text ? text : NULL);
    return STATUS_OK;
}

// --- Registers -----------------------------------------------------------------------------------

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
                         const char *text)
{
    size_t name_length = strlen(entry->name);
    size_t name_width = name_length < 7 ? 7 : name_length + 1;
    size_t width = name_width + strlen(text);
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

uint64_t state_first_lane(const struct state *state)
{
    return state->common.lane == TRAWL_ANY_LANE ? 0 : state->common.lane;
}

uint64_t state_end_lane(const struct state *state)
{
    if (state->wanted.count && !state->registers)
        return state_first_lane(state);
    return state->common.lane == TRAWL_ANY_LANE ? query_view(&state->common)->info.lanes
                                                : state->common.lane + 1;
}

enum status state_registers_of(struct state *state, uint64_t lane, uint64_t event,
                               struct register_set *set, struct error *err)
{
    const struct index_view *view = query_view(&state->common);
    struct trawl_event about;
    enum status status = point_in_lane(view, lane, event, &about, err);
    return status == STATUS_OK
               ? register_set_parse(set, view, state->registers, point_isa(view, &about), err)
               : status;
}

static enum status put_registers(struct state *state, uint64_t lane, struct error *err)
{
    struct register_set set = {0};
    struct out *out = &state->common.out;
    struct json *json = &state->json;
    struct layout layout = {.out = out, .group = -1};
    const char *name = query_lane_name(&state->common, lane);
    uint64_t event = state->common.event;
    enum status status = state_registers_of(state, lane, event, &set, err);
    if (state->is_json) {
        json_begin_object(json);
        json_member_text(json, "lane", name);
        json_key(json, "registers");
        json_begin_object(json);
    } else {
        out_byte(out, '\n');
        out_clean(out, name ? name : "");
        out_text(out, name ? ":\n" : "");
    }
    for (size_t i = 0; i < set.count && status == STATUS_OK; i++) {
        const struct register_entry *entry = &set.items[i];
        struct register_value value;
        char text[VALUE_TEXT_MAX];
        status = register_read(query_view(&state->common), lane, event, &entry->which, &value, err);
        if (status != STATUS_OK)
            break;
        value_number(text, value.values, value.known, value.size_bytes);
        if (state->is_json) {
            json_key(json, entry->name);
            json_begin_object(json);
            json_member_text(json, "value", value.known_bytes ? text : NULL);
            json_member_bool(json, "known", value.known_bytes == value.size_bytes);
            json_end_object(json);
        } else if (value.known_bytes || state->shows_unknown) {
            put_register(&layout, entry, text);
        }
    }
    if (state->is_json) {
        json_end_object(json);
        json_end_object(json);
    } else {
        out_text(out, layout.column ? "\n" : "no register is known\n");
    }
    register_set_free(&set);
    return status;
}

// --- Memory --------------------------------------------------------------------------------------

enum status state_read_range(const struct state *state, const struct state_memory *memory,
                             uint64_t offset, uint64_t event, struct state_range *range,
                             struct error *err)
{
    struct trawl_error from;
    range->address = memory->address + offset;
    range->size_bytes = (size_t)u64_min(memory->size_bytes - offset, STATE_RANGE_BYTES);
    return index_status(index_view_memory(query_view(&state->common), event, range->address,
                                          range->size_bytes, range->values, range->known, &from),
                        &from, err);
}

// Bytes in a row that only an image has.
struct image_run {
    uint64_t first, size_bytes;
};

static void put_image_run(struct out *out, struct image_run *run)
{
    char text[128];
    if (run->size_bytes) {
        snprintf(text, sizeof text,
                 "0x%" PRIx64 ":%" PRIu64 " %s not in the trace, but in the image\n", run->first,
                 run->size_bytes, run->size_bytes == 1 ? "is" : "are");
        out_text(out, text);
    }
    run->size_bytes = 0;
}

// Says which bytes only an image has.
static enum status put_image_runs(struct state *state, const struct state_memory *memory,
                                  struct error *err)
{
    struct out *out = &state->common.out;
    struct image_run run = {0};
    struct state_range range;
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < memory->size_bytes && status == STATUS_OK;
         done += range.size_bytes) {
        status = state_read_range(state, memory, done, state->common.event, &range, err);
        for (size_t i = 0; i < range.size_bytes && status == STATUS_OK; i++) {
            if (range.known[i] != IMAGE_MEMORY_KNOWN)
                put_image_run(out, &run);
            else if (!run.size_bytes++)
                run.first = range.address + i;
        }
    }
    put_image_run(out, &run);
    return status;
}

static enum status put_memory(struct state *state, const struct state_memory *memory,
                              struct error *err)
{
    struct out *out = &state->common.out;
    struct json *json = &state->json;
    struct state_range range;
    struct hexdump dump;
    enum status status = STATUS_OK;
    uint64_t of_image = 0;
    char *text = state->is_json ? malloc((size_t)memory->size_bytes * 2 + 1) : NULL;
    if (state->is_json && !text)
        return error_set(err, STATUS_MEMORY, "no memory for '%.200s'", memory->text);
    if (!state->is_json) {
        out_byte(out, '\n');
        out_clean(out, memory->text);
        out_text(out, ":\n");
        hexdump_begin(&dump, out, memory->address, memory->size_bytes, !state->shows_unknown);
    }
    for (uint64_t done = 0; done < memory->size_bytes && status == STATUS_OK;
         done += range.size_bytes) {
        bool known[STATE_RANGE_BYTES];
        status = state_read_range(state, memory, done, state->common.event, &range, err);
        if (status != STATUS_OK)
            break;
        for (size_t i = 0; i < range.size_bytes; i++)
            of_image += range.known[i] == IMAGE_MEMORY_KNOWN;
        if (state->is_json) {
            value_bytes(text + 2 * done, range.values, range.known, range.size_bytes);
            continue;
        }
        for (size_t i = 0; i < range.size_bytes; i++)
            known[i] = range.known[i];
        hexdump_bytes(&dump, range.values, known, range.size_bytes);
    }
    if (state->is_json) {
        json_begin_object(json);
        json_member_address(json, "address", memory->address);
        json_member_u64(json, "size", memory->size_bytes);
        json_member_text(json, "bytes", status == STATUS_OK ? text : NULL);
        if (of_image) // bytes that the trace does not show
            json_member_u64(json, "of_image", of_image);
        json_end_object(json);
    } else {
        hexdump_end(&dump);
        if (status == STATUS_OK && of_image)
            status = put_image_runs(state, memory, err);
    }
    free(text);
    return status;
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_state(struct state *state, struct error *err)
{
    struct json *json = state->is_json ? &state->json : NULL;
    if (json)
        json_begin_object(json);
    enum status status = state_put_point(state, "position", state->common.event, err);
    if (json) {
        json_key(json, "lanes");
        json_begin_array(json);
    }
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++)
        status = put_registers(state, lane, err);
    if (json) {
        json_end_array(json);
        json_key(json, "memory");
        json_begin_array(json);
    }
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = put_memory(state, &state->memory.items[i], err);
    if (json) {
        json_end_array(json);
        query_put_covered_json(&state->common, json);
        json_end_object(json);
    }
    return status;
}

static bool fail_for_memory(struct state *state, const char *one)
{
    return command_fail_with(&state->common, STATUS_MEMORY, "no memory for '%.200s'", one);
}

// Adds a register to the named ones.
static bool add_register(struct state *state, const char *name)
{
    size_t length = strlen(name);
    if (!VEC_ROOM(&state->named, length + 2))
        return fail_for_memory(state, name);
    if (state->named.count)
        state->named.items[state->named.count++] = ',';
    memcpy(state->named.items + state->named.count, name, length);
    state->named.count += length;
    return true;
}

// Separates named registers from memory. Those of --registers come first.
static bool split_wanted(struct state *state, const struct trawl_event *about)
{
    bool of_snapshots = index_view_has_snapshots(query_view(&state->common));
    if (state->wanted.count && state->registers && !add_register(state, state->registers))
        return false;
    for (size_t i = 0; i < state->wanted.count; i++) {
        // GDB writes variables of trace state with a $.
        const char *one = state->wanted.items[i] + (of_snapshots && *state->wanted.items[i] == '$');
        struct location location;
        struct trawl_register named;
        state->wanted.items[i] = one;
        if (!query_location(&state->common, one, about, &location))
            return false;
        if (location.kind == LOCATION_REGISTER) {
            bool is_pc = location.which.size_bytes == 0; // which is shown with the point
            // A variable that is in a register is shown by the register's name.
            bool is_variable =
                *one != '$' && trawl_register_named(query_view(&state->common)->index,
                                                    point_isa(query_view(&state->common), about),
                                                    one, strlen(one), &named, NULL) != TRAWL_OK;
            if (!is_pc && !of_snapshots &&
                !add_register(state, is_variable ? location.which.name : one))
                return false;
            continue;
        }
        if (!VEC_ROOM(&state->memory, 1))
            return fail_for_memory(state, one);
        state->memory.items[state->memory.count++] = (struct state_memory){.text = one};
    }
    if (state->named.count) {
        state->named.items[state->named.count] = 0; // add_register left room
        state->registers = state->named.items;
    }
    return true;
}

// Finds what was typed before anything is written.
static bool resolve_arguments(struct state *state)
{
    struct command *command = &state->common;
    struct trawl_event about;
    struct error err;
    uint64_t lane;
    if (state->diff && !query_point(command, "--diff", state->diff, &state->other))
        return false;
    if (query_lane(command, command->event, &lane, &about, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (!split_wanted(state, &about))
        return false;
    for (uint64_t i = state_first_lane(state); i < state_end_lane(state); i++) {
        struct register_set set = {0};
        uint64_t event = state->diff ? state->other : command->event;
        bool is_sound = state_registers_of(state, i, event, &set, &err) == STATUS_OK;
        register_set_free(&set);
        if (!is_sound)
            return query_text_fail(command, "--registers", state->registers ? state->registers : "",
                                   &err);
    }
    for (size_t i = 0; i < state->memory.count; i++) {
        struct state_memory *memory = &state->memory.items[i];
        struct location location;
        if (!query_memory(command, memory->text, &about, &location))
            return false;
        memory->size_bytes = location.size_bytes;
        if (!query_address(command, memory->text, &location, lane, command->event,
                           &memory->address))
            return false;
    }
    return true;
}

static bool report(void *self)
{
    struct state *state = self;
    struct command *command = &state->common;
    struct error err;
    if (!resolve_arguments(state) || !command_context(command) || !command_output(command))
        return false;
    state->is_json = command->table_format == TABLE_JSON;
    json_begin(&state->json, &command->out, 2);
    enum status result = index_view_has_snapshots(query_view(command))
                             ? state_put_snapshot(state, &err)
                         : state->diff ? state_put_diff(state, &err)
                                       : put_state(state, &err);
    if (!source_places_end(command, &state->lines) && result == STATUS_OK)
        result = error_set(&err, STATUS_MEMORY, "no memory for source lines");
    if (result != STATUS_OK)
        return command_fail(command, &err);
    if (state->is_json)
        json_end(&state->json);
    else
        query_put_covered(command, &command->out);
    return true;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct state *state = self;
    switch (option) {
    case OPTION_POSITIONAL:
        if (!VEC_ROOM(&state->wanted, 1))
            return options_no_memory(parser);
        state->wanted.items[state->wanted.count++] = match->value;
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

static bool check(void *self, struct options_parser *parser)
{
    return query_refuse_csv(self, parser); // the command is the first member
}

// A frame only has its own registers, and only memory can be unknown.
static const struct option_need option_needs[] = {
    {OPTION_DIFF, 0, TRACE_SNAPSHOTS},
    {OPTION_REGISTERS, 0, TRACE_SNAPSHOTS},
    {OPTION_ALL, 0, TRACE_SNAPSHOTS},
    {OPTION_LINES, TRACE_ADDRESSES, TRACE_SNAPSHOTS},
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct state state = {0};
    command_begin(&state.common, self);
    state.common.asks_index = true;
    state.common.own_options = option_needs;
    enum exit_status status = command_run(&state.common, argc, argv,
                                          &(struct command_steps){&state, take, check, report});
    free(state.memory.items);
    free(state.wanted.items);
    free(state.named.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "line:N, time:N, event:N, byte:N, pc:ADDR[#K] (the K-th visit), start or end (default)"},
    {ROW_LANE},
    {ROW_PHYSICAL},
    {ROW_SPACE},
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
    .option_set = OPTIONS_TRAWL,
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
        "agrees and the load it is unknown, and a message counts such loads. Bytes that the "
        "trace neither shows nor stores to, and that a read-only section of an image has which "
        "fits the trace, are those of the image; the report says which (of_image in JSON: how "
        "many).\n"
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
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
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
