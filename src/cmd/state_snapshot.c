// The contents of a snapshot: its place, registers, variables, and all collected memory, or the
// requested memory.
#include "cmd/state.h"

#include "base/limits.h"
#include "report/out.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 9, ACCESSES_AT_ONCE = 256 };

// --- Memory --------------------------------------------------------------------------------------

// Adds an access, in order of addresses: to the previous range, if they touch.
static bool add_access(struct state *state, uint64_t address, uint64_t size_bytes)
{
    size_t count = state->memory.count;
    struct state_memory *last = count ? &state->memory.items[count - 1] : NULL;
    if (last && address - last->address <= last->size_bytes) {
        uint64_t end = address - last->address + size_bytes;
        last->size_bytes = u64_max(last->size_bytes, end);
        return true;
    }
    if (!VEC_ROOM(&state->memory, 1))
        return false;
    state->memory.items[state->memory.count++] = (struct state_memory){NULL, address, size_bytes};
    return true;
}

// All memory of the snapshot, as ranges without gaps.
static enum status find_memory(struct state *state, uint64_t event, struct error *err)
{
    const struct index_view *view = query_view(&state->common);
    uint64_t addresses[ACCESSES_AT_ONCE], sizes[ACCESSES_AT_ONCE];
    const struct trawl_access_columns columns = {.address = addresses, .size_bytes = sizes};
    struct trawl_access_cursor place = {.event = event};
    struct trawl_error from;
    size_t count;
    do {
        enum trawl_status status = trawl_accesses(view->index, &place, event + 1, ACCESSES_AT_ONCE,
                                                  &columns, &count, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        for (size_t i = 0; i < count; i++) {
            if (!add_access(state, addresses[i], sizes[i]))
                return error_set(err, STATUS_MEMORY, "no memory for the memory of a frame");
        }
    } while (count);
    return STATUS_OK;
}

static enum status put_memory(struct state *state, const struct state_memory *memory,
                              struct error *err)
{
    size_t size = (size_t)memory->size_bytes;
    uint8_t *values = calloc(2, size + 1), *known = values ? values + size + 1 : NULL;
    char *text = state->is_json ? malloc(2 * size + 1) : NULL;
    struct trawl_error from;
    struct hexdump dump;
    bool flags[STATE_RANGE_BYTES];
    enum status status = STATUS_OK;
    if (!values || (state->is_json && !text))
        status = error_set(err, STATUS_MEMORY, "no memory for the memory of a frame");
    if (status == STATUS_OK)
        status = index_status(trawl_memory(query_view(&state->common)->index, state->common.event,
                                           memory->address, size, values, known, &from),
                              &from, err);
    if (status == STATUS_OK && state->is_json) {
        value_bytes(text, values, known, size);
        json_begin_object(&state->json);
        json_member_address(&state->json, "address", memory->address);
        json_member_u64(&state->json, "size", size);
        json_member_text(&state->json, "bytes", text);
        json_end_object(&state->json);
    } else if (status == STATUS_OK) {
        hexdump_begin(&dump, &state->common.out, memory->address, size, false);
        for (size_t done = 0; done < size; done += STATE_RANGE_BYTES) {
            size_t count = (size_t)u64_min(size - done, STATE_RANGE_BYTES);
            for (size_t i = 0; i < count; i++)
                flags[i] = known[done + i];
            hexdump_bytes(&dump, values + done, flags, count);
        }
        hexdump_end(&dump);
    }
    free(text);
    free(values);
    return status;
}

// --- Registers -----------------------------------------------------------------------------------

// The value as a number; NULL: not collected.
static const char *number_of(const struct trawl_register *which, const struct register_value *value,
                             char text[VALUE_TEXT_MAX])
{
    uint64_t number = 0;
    if (value->known_bytes < value->size_bytes)
        return NULL;
    for (uint32_t i = value->size_bytes; i-- > 0 && value->size_bytes <= sizeof number;)
        number = number << 8 | value->values[i];
    if (which->flags & TRAWL_REGISTER_VARIABLE)
        snprintf(text, VALUE_TEXT_MAX, "%" PRId64, (int64_t)number);
    else if (value->size_bytes <= sizeof number)
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, number);
    else
        value_number(text, value->values, value->known, value->size_bytes);
    return text;
}

static void put_register(struct state *state, const struct trawl_register *which, const char *value)
{
    struct out *out = &state->common.out;
    size_t length = strlen(which->name);
    bool is_variable = which->flags & TRAWL_REGISTER_VARIABLE;
    if (state->is_json) {
        json_member_text(&state->json, which->name, value);
        return;
    }
    if (!value || !(which->flags & (TRAWL_REGISTER_VARIABLE | TRAWL_REGISTER_GENERAL)))
        return;
    out_text(out, is_variable ? "$" : "");
    out_clean(out, which->name);
    if (is_variable)
        out_text(out, " = ");
    else
        out_pad(out, length < NAME_WIDTH ? NAME_WIDTH - length : 1);
    out_text(out, value);
    out_byte(out, '\n');
}

// Shows each register, or each variable, with its value: those that were named, or all.
static enum status put_registers(struct state *state, const struct trawl_event *about,
                                 bool of_variables, struct error *err)
{
    const struct index_view *view = query_view(&state->common);
    uint64_t count = trawl_register_count(view->index);
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register which;
        struct register_value value;
        char text[VALUE_TEXT_MAX];
        bool is_shown = trawl_register(view->index, i, &which, NULL) == TRAWL_OK && which.shown &&
                        *which.name && which.size_bytes <= LIMIT_VALUE_BYTES &&
                        (which.flags & TRAWL_REGISTER_VARIABLE) / TRAWL_REGISTER_VARIABLE ==
                            (uint32_t)of_variables;
        bool is_named = !state->wanted.count;
        for (size_t name = 0; name < state->wanted.count && is_shown; name++)
            is_named |= strcmp(state->wanted.items[name], which.name) == 0;
        if (!is_shown || !is_named)
            continue;
        if (register_read(view, about->lane, about->event, &which, &value, err) != STATUS_OK)
            return err->status;
        put_register(state, &which, number_of(&which, &value, text));
    }
    return STATUS_OK;
}

// --- All of it -----------------------------------------------------------------------------------

static void put_place(struct state *state, const struct trawl_event *about)
{
    struct command *command = &state->common;
    struct out *out = &command->out;
    const char *lane = query_view(command)->lanes[about->lane].name;
    bool has_pc = about->flags & TRAWL_HAS_INSTRUCTION;
    const char *function = has_pc ? query_name(command, about->pc) : NULL;
    if (state->is_json) {
        struct json *json = &state->json;
        json_key(json, "position");
        json_begin_object(json);
        json_member_u64(json, "event", about->event);
        json_member_u64(json, "byte", about->position);
        json_member_text(json, "lane", lane);
        if (has_pc)
            json_member_address(json, "pc", about->pc);
        else
            json_member_text(json, "pc", NULL);
        json_member_text(json, "function", function);
        json_end_object(json);
        return;
    }
    char text[160];
    snprintf(text, sizeof text, "event %" PRIu64 ", %s, byte %" PRIu64, about->event, lane,
             about->position);
    out_clean(out, text);
    out_byte(out, '\n');
    if (has_pc) {
        out_text(out, "0x");
        out_hex(out, about->pc, 8);
        out_text(out, function ? " " : "");
        out_clean(out, function ? function : "");
        out_byte(out, '\n');
    }
    out_byte(out, '\n');
}

enum status state_put_snapshot(struct state *state, struct error *err)
{
    struct json *json = state->is_json ? &state->json : NULL;
    struct trawl_event about;
    bool is_all = !state->memory.count && !state->wanted.count;
    enum status status =
        index_view_event(query_view(&state->common), state->common.event, &about, err);
    if (status == STATUS_OK && is_all)
        status = find_memory(state, state->common.event, err);
    if (status != STATUS_OK)
        return status;
    if (json)
        json_begin_object(json);
    put_place(state, &about);
    for (int of_variables = 0; of_variables < 2 && status == STATUS_OK; of_variables++) {
        if (json) {
            json_key(json, of_variables ? "variables" : "registers");
            json_begin_object(json);
        }
        status = put_registers(state, &about, of_variables, err);
        if (json)
            json_end_object(json);
    }
    if (json) {
        json_key(json, "memory");
        json_begin_array(json);
    }
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = put_memory(state, &state->memory.items[i], err);
    if (json) {
        json_end_array(json);
        json_end_object(json);
    }
    if (is_all) // not requested
        state->memory.count = 0;
    return status;
}
