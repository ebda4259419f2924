// The contents of a snapshot: its place, registers, variables, and all collected memory, or the
// requested memory.
#include "cmd/state_snapshot.h"

#include "base/limits.h"
#include "report/clean.h"
#include "report/hexdump.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 9, ACCESSES_AT_ONCE = 256 };

struct snapshot {
    struct state *state;
    struct trawl_event about;
};

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

// Reads a range and shows it.
static enum status with_memory(struct snapshot *snapshot, const struct state_memory *memory,
                               void (*show)(struct state *state, const struct state_memory *memory,
                                            const uint8_t *values, const uint8_t *known),
                               struct error *err)
{
    const struct index_view *view = query_view(&snapshot->state->common);
    size_t size = (size_t)memory->size_bytes;
    uint8_t *values = calloc(2, size + 1);
    struct trawl_error from;
    if (!values)
        return error_set(err, STATUS_MEMORY, "no memory for the memory of a frame");
    enum trawl_status status = trawl_memory(view->index, snapshot->about.event, memory->address,
                                            size, values, values + size + 1, &from);
    if (status == TRAWL_OK)
        show(snapshot->state, memory, values, values + size + 1);
    free(values);
    return index_status(status, &from, err);
}

static void put_memory(struct state *state, const struct state_memory *memory,
                       const uint8_t *values, const uint8_t *known)
{
    struct hexdump dump;
    bool flags[STATE_PIECE_BYTES];
    hexdump_begin(&dump, state->out, memory->address, memory->size_bytes, false);
    for (uint64_t done = 0; done < memory->size_bytes; done += STATE_PIECE_BYTES) {
        size_t size = (size_t)u64_min(memory->size_bytes - done, STATE_PIECE_BYTES);
        for (size_t i = 0; i < size; i++)
            flags[i] = known[done + i];
        hexdump_bytes(&dump, values + done, flags, size);
    }
    hexdump_end(&dump);
}

static void put_memory_json(struct state *state, const struct state_memory *memory,
                            const uint8_t *values, const uint8_t *known)
{
    struct json *json = &state->json;
    size_t size = (size_t)memory->size_bytes;
    char *text = malloc(2 * size + 1);
    if (text)
        value_bytes(text, values, known, size);
    state->lacks_memory |= !text;
    json_begin_object(json);
    json_key(json, "address");
    json_address(json, memory->address);
    state_put_member_u64(json, "size", size);
    state_put_member(json, "bytes", text);
    json_end_object(json);
    free(text);
}

static enum status each_memory(struct snapshot *snapshot,
                               void (*show)(struct state *state, const struct state_memory *memory,
                                            const uint8_t *values, const uint8_t *known),
                               struct error *err)
{
    const struct state *state = snapshot->state;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = with_memory(snapshot, &state->memory.items[i], show, err);
    if (status == STATUS_OK && state->lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory for the memory of a frame");
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
    size_t length = strlen(which->name);
    bool is_variable = which->flags & TRAWL_REGISTER_VARIABLE;
    if (!value || !(which->flags & (TRAWL_REGISTER_VARIABLE | TRAWL_REGISTER_GENERAL)))
        return;
    if (is_variable)
        out_byte(state->out, '$');
    out_clean(state->out, which->name);
    if (is_variable)
        out_text(state->out, " = ");
    else
        out_pad(state->out, length < NAME_WIDTH ? NAME_WIDTH - length : 1);
    out_text(state->out, value);
    out_byte(state->out, '\n');
}

static void put_register_json(struct state *state, const struct trawl_register *which,
                              const char *value)
{
    state_put_member(&state->json, which->name, value);
}

// Whether a register is requested: by its name, or because nothing was named.
static bool is_wanted(const struct state *state, const struct trawl_register *which)
{
    for (size_t i = 0; i < state->things.count; i++) {
        if (strcmp(state->things.items[i], which->name) == 0)
            return true;
    }
    return !state->things.count;
}

// Shows each register, or each variable, with its value.
static enum status each_register(struct snapshot *snapshot, bool of_variables,
                                 void (*show)(struct state *state,
                                              const struct trawl_register *which,
                                              const char *value),
                                 struct error *err)
{
    const struct index_view *view = query_view(&snapshot->state->common);
    const struct trawl_event *about = &snapshot->about;
    uint64_t count = trawl_register_count(view->index);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct trawl_register which;
        struct register_value value;
        char text[VALUE_TEXT_MAX];
        bool is_shown = trawl_register(view->index, i, &which, NULL) == TRAWL_OK && which.shown &&
                        *which.name && which.size_bytes <= LIMIT_VALUE_BYTES &&
                        (which.flags & TRAWL_REGISTER_VARIABLE) / TRAWL_REGISTER_VARIABLE ==
                            (uint32_t)of_variables;
        if (!is_shown || !is_wanted(snapshot->state, &which))
            continue;
        status = register_read(view, about->lane, about->event, &which, &value, err);
        if (status == STATUS_OK)
            show(snapshot->state, &which, number_of(&which, &value, text));
    }
    return status;
}

// --- All of it -----------------------------------------------------------------------------------

static void put_place(struct snapshot *snapshot)
{
    struct command *query = &snapshot->state->common;
    struct out *out = snapshot->state->out;
    const struct trawl_event *about = &snapshot->about;
    char text[160];
    snprintf(text, sizeof text, "event %" PRIu64 ", %s, byte %" PRIu64, about->event,
             query_view(query)->lanes[about->lane].name, about->position);
    out_clean(out, text);
    out_byte(out, '\n');
    if (about->flags & TRAWL_HAS_INSTRUCTION) {
        const char *function = query_name(query, about->pc);
        out_text(out, "0x");
        out_hex(out, about->pc, 8);
        out_text(out, function ? " " : "");
        out_clean(out, function ? function : "");
        out_byte(out, '\n');
    }
    out_byte(out, '\n');
}

static enum status put_text(struct snapshot *snapshot, struct error *err)
{
    put_place(snapshot);
    enum status status = each_register(snapshot, false, put_register, err);
    if (status == STATUS_OK)
        status = each_register(snapshot, true, put_register, err);
    return status == STATUS_OK ? each_memory(snapshot, put_memory, err) : status;
}

static void put_place_json(struct snapshot *snapshot)
{
    struct command *query = &snapshot->state->common;
    struct json *json = &snapshot->state->json;
    const struct trawl_event *about = &snapshot->about;
    bool has_pc = about->flags & TRAWL_HAS_INSTRUCTION;
    json_key(json, "position");
    json_begin_object(json);
    state_put_member_u64(json, "event", about->event);
    state_put_member_u64(json, "byte", about->position);
    state_put_member(json, "lane", query_view(query)->lanes[about->lane].name);
    json_key(json, "pc");
    if (has_pc)
        json_address(json, about->pc);
    else
        json_text(json, NULL);
    state_put_member(json, "function", has_pc ? query_name(query, about->pc) : NULL);
    json_end_object(json);
}

static enum status put_json(struct snapshot *snapshot, struct error *err)
{
    struct json *json = &snapshot->state->json;
    json_begin_object(json);
    put_place_json(snapshot);
    json_key(json, "registers");
    json_begin_object(json);
    enum status status = each_register(snapshot, false, put_register_json, err);
    json_end_object(json);
    json_key(json, "variables");
    json_begin_object(json);
    if (status == STATUS_OK)
        status = each_register(snapshot, true, put_register_json, err);
    json_end_object(json);
    json_key(json, "memory");
    json_begin_array(json);
    if (status == STATUS_OK)
        status = each_memory(snapshot, put_memory_json, err);
    json_end_array(json);
    json_end_object(json);
    return status;
}

enum status state_put_snapshot(struct state *state, bool is_json, struct error *err)
{
    struct snapshot snapshot = {.state = state};
    enum status status =
        index_view_event(query_view(&state->common), state->common.event, &snapshot.about, err);
    bool is_all = !state->memory.count && !state->things.count;
    if (status == STATUS_OK && is_all)
        status = find_memory(state, state->common.event, err);
    if (status == STATUS_OK)
        status = is_json ? put_json(&snapshot, err) : put_text(&snapshot, err);
    if (is_all) // not requested
        state->memory.count = 0;
    return status;
}
