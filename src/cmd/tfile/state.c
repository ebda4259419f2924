#include "cmd/tfile/state.h"

#include "cmd/tfile/query.h"
#include "cmd/tfile/value.h"
#include "report/clean.h"
#include "report/hexdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct window {
    uint64_t address, size_bytes;
    const uint8_t *bytes; // of a block; NULL for what is looked for in all of them
};

struct state {
    struct query *query;
    const struct tfile *file;
    const struct tfile_frame *frame;
    uint64_t number;
    const uint8_t *registers; // NULL: none
    int64_t *values;          // of each variable of the file, and whether it was collected
    bool *has_value;
    VEC(, struct window) windows;
    struct out *out;
};

// --- What is shown -------------------------------------------------------------------------------

// What was asked for, else all memory of the frame.
static bool find_windows(struct state *state, const char *const *memory, size_t count,
                         enum exit_status *status)
{
    struct tfile_cursor cursor = tfile_blocks(state->file, state->frame);
    struct tfile_block block;
    struct error err;
    for (size_t i = 0; i < count; i++) {
        struct location location;
        struct window window = {0};
        if (!query_tfile_location(state->query, "--memory", memory[i], state->number, &location,
                                  &window.address, status))
            return false;
        window.size_bytes = location.size_bytes;
        if (location.kind == LOCATION_REGISTER)
            error_set(&err, STATUS_INPUT,
                      "--memory '%.200s': a register; REGISTER:SIZE is the memory it points to",
                      memory[i]);
        else if (!VEC_ROOM(&state->windows, 1))
            error_set(&err, STATUS_MEMORY, "no memory");
        else {
            state->windows.items[state->windows.count++] = window;
            continue;
        }
        *status = query_error(state->query, &err);
        return false;
    }
    while (!count && tfile_next(state->file, &cursor, &block)) {
        if (block.kind != TFILE_MEMORY)
            continue;
        if (!VEC_ROOM(&state->windows, 1)) {
            error_set(&err, STATUS_MEMORY, "no memory");
            *status = query_error(state->query, &err);
            return false;
        }
        state->windows.items[state->windows.count++] =
            (struct window){block.address, block.size_bytes, block.bytes};
    }
    return true;
}

// The last value of each variable.
static bool find_values(struct state *state, enum exit_status *status)
{
    struct tfile_cursor cursor = tfile_blocks(state->file, state->frame);
    struct tfile_block block;
    struct error err;
    state->values = calloc(state->file->variables.count + 1, sizeof *state->values);
    state->has_value = calloc(state->file->variables.count + 1, sizeof *state->has_value);
    if (!state->values || !state->has_value) {
        error_set(&err, STATUS_MEMORY, "no memory");
        *status = query_error(state->query, &err);
        return false;
    }
    while (tfile_next(state->file, &cursor, &block)) {
        const struct tfile_variable *variable =
            block.kind == TFILE_VARIABLE ? tfile_variable_numbered(state->file, block.variable)
                                         : NULL;
        if (!variable)
            continue;
        state->values[variable - state->file->variables.items] = block.value;
        state->has_value[variable - state->file->variables.items] = true;
    }
    return true;
}

// Reads a window and has it shown. No memory is told as a failed write.
static void with_window(struct state *state, const struct window *window,
                        void (*show)(struct state *state, const struct window *window,
                                     const uint8_t *values, const bool *known, void *json),
                        void *json)
{
    size_t size = (size_t)window->size_bytes;
    uint8_t *values = calloc(size + 1, sizeof *values);
    bool *known = calloc(size + 1, sizeof *known);
    if (values && known) {
        if (window->bytes) {
            memcpy(values, window->bytes, size);
            memset(known, 1, size);
        } else {
            tfile_frame_memory(state->file, state->frame, window->address, size, values, known);
        }
        show(state, window, values, known, json);
    } else {
        state->out->error_number = ENOMEM;
    }
    free(values);
    free(known);
}

// --- For people ----------------------------------------------------------------------------------

static void put_window(struct state *state, const struct window *window, const uint8_t *values,
                       const bool *known, void *json)
{
    struct hexdump dump;
    (void)json;
    hexdump_begin(&dump, state->out, window->address, window->size_bytes, false);
    hexdump_bytes(&dump, values, known, (size_t)window->size_bytes);
    hexdump_end(&dump);
}

static void put_registers(struct state *state)
{
    char value[VALUE_TEXT_MAX];
    for (uint32_t i = 0; state->registers && i < state->file->registers.items.count; i++) {
        const struct tfile_register *item = &state->file->registers.items.items[i];
        if (!tfile_register_is_general(item))
            continue;
        size_t length = strlen(item->name);
        tfile_value_hex(state->file, state->registers, i, value);
        out_clean(state->out, item->name);
        out_pad(state->out, length < 9 ? 9 - length : 1);
        out_text(state->out, value);
        out_byte(state->out, '\n');
    }
}

static void put_variables(struct state *state)
{
    char text[32];
    for (size_t i = 0; i < state->file->variables.count; i++) {
        const struct tfile_variable *variable = &state->file->variables.items[i];
        if (!state->has_value[i])
            continue;
        snprintf(text, sizeof text, " = %" PRId64 "\n", state->values[i]);
        out_byte(state->out, '$');
        out_clean(state->out, variable->name);
        out_text(state->out, text);
    }
}

static void put_all(struct state *state)
{
    char text[160], lane[TFILE_LANE_NAME_BYTES];
    uint64_t pc;
    tfile_lane_name(state->frame, lane);
    snprintf(text, sizeof text, "event %" PRIu64 ", %s, byte %" PRIu64 "\n", state->number, lane,
             state->frame->offset);
    out_text(state->out, text);
    if (tfile_frame_pc(state->file, state->frame, &pc)) {
        const char *function = tfile_function(&state->query->common, pc);
        out_text(state->out, "0x");
        out_hex(state->out, pc, 8);
        out_text(state->out, function ? " " : "");
        out_clean(state->out, function ? function : "");
        out_byte(state->out, '\n');
    }
    out_byte(state->out, '\n');
    put_registers(state);
    put_variables(state);
    for (size_t i = 0; i < state->windows.count; i++)
        with_window(state, &state->windows.items[i], put_window, NULL);
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_window(struct state *state, const struct window *window, const uint8_t *values,
                        const bool *known, void *self)
{
    struct json *json = self;
    size_t size = (size_t)window->size_bytes;
    uint8_t *flags = malloc(size + 1);
    char *text = malloc(2 * size + 1);
    if (!flags || !text)
        state->out->error_number = ENOMEM;
    for (size_t i = 0; flags && i < size; i++)
        flags[i] = known[i];
    if (flags && text)
        value_bytes(text, values, flags, size);
    json_begin_object(json);
    json_key(json, "address");
    json_address(json, window->address);
    json_key(json, "size");
    json_u64(json, size);
    json_key(json, "bytes");
    json_text(json, flags && text ? text : NULL);
    json_end_object(json);
    free(flags);
    free(text);
}

static void json_position(struct state *state, struct json *json)
{
    char lane[TFILE_LANE_NAME_BYTES];
    uint64_t pc;
    bool has_pc = tfile_frame_pc(state->file, state->frame, &pc);
    tfile_lane_name(state->frame, lane);
    json_key(json, "position");
    json_begin_object(json);
    json_key(json, "event");
    json_u64(json, state->number);
    json_key(json, "byte");
    json_u64(json, state->frame->offset);
    json_key(json, "lane");
    json_text(json, lane);
    json_key(json, "pc");
    if (has_pc)
        json_address(json, pc);
    else
        json_text(json, NULL);
    json_key(json, "function");
    json_text(json, has_pc ? tfile_function(&state->query->common, pc) : NULL);
    json_end_object(json);
}

static void json_registers(struct state *state, struct json *json)
{
    char value[VALUE_TEXT_MAX];
    json_key(json, "registers");
    json_begin_object(json);
    for (uint32_t i = 0; i < state->file->registers.items.count; i++) {
        if (state->registers)
            tfile_value_hex(state->file, state->registers, i, value);
        json_key(json, state->file->registers.items.items[i].name);
        json_text(json, state->registers ? value : NULL);
    }
    json_end_object(json);
}

static void json_variables(struct state *state, struct json *json)
{
    char text[32];
    json_key(json, "variables");
    json_begin_object(json);
    for (size_t i = 0; i < state->file->variables.count; i++) {
        const struct tfile_variable *variable = &state->file->variables.items[i];
        snprintf(text, sizeof text, "%" PRId64, state->values[i]);
        json_key(json, variable->name);
        json_text(json, state->has_value[i] ? text : NULL);
    }
    json_end_object(json);
}

static void json_all(struct state *state)
{
    struct json json;
    json_begin(&json, state->out, 2);
    json_begin_object(&json);
    json_position(state, &json);
    json_registers(state, &json);
    json_variables(state, &json);
    json_key(&json, "memory");
    json_begin_array(&json);
    for (size_t i = 0; i < state->windows.count; i++)
        with_window(state, &state->windows.items[i], json_window, &json);
    json_end_array(&json);
    json_end_object(&json);
    json_end(&json);
}

// --- The report ----------------------------------------------------------------------------------

static enum exit_status report(struct state *state)
{
    struct trace_command *command = &state->query->common;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status))
        return status;
    state->out = &out;
    if (command->table_format == TABLE_JSON)
        json_all(state);
    else
        put_all(state);
    return trace_command_end(command, &out);
}

enum exit_status state_tfile(struct query *query, const char *const *memory, size_t count)
{
    struct trace_command *command = &query->common;
    struct state state = {.query = query};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!tfile_open_trace(command, &status) ||
        !query_tfile_frame(query, "--at", query->at, &state.number, &status))
        return status;
    state.file = tfile_file(command);
    state.frame = &state.file->frames.items[state.number];
    state.registers = tfile_frame_registers(state.file, state.frame);
    if (find_windows(&state, memory, count, &status) && find_values(&state, &status))
        status = report(&state);
    free(state.windows.items);
    free(state.values);
    free(state.has_value);
    return status;
}
