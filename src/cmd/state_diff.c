// state --diff: the differences between two points.
#include "cmd/state.h"

#include "report/out.h"
#include "report/value.h"

// Bytes in one row.
enum { ROW_BYTES = 16 };

// Writes a change: " -> " between its sides, or the members of an object, which ends.
static void put_change(struct state *state, const char *from, const char *to)
{
    struct out *out = &state->common.out;
    if (state->is_json) {
        json_member_text(&state->json, "from", from);
        json_member_text(&state->json, "to", to);
        json_end_object(&state->json);
        return;
    }
    out_text(out, from);
    out_text(out, " -> ");
    out_text(out, to);
    out_byte(out, '\n');
}

// --- Registers -----------------------------------------------------------------------------------

static enum status walk_registers(struct state *state, uint64_t lane, struct error *err)
{
    struct index_view *view = &state->common.session.view;
    struct register_set set = {0};
    enum status status = state_registers_of(state, lane, state->other, &set, err);
    for (size_t i = 0; i < set.count && status == STATUS_OK; i++) {
        struct register_value from, to;
        char from_text[VALUE_TEXT_MAX], to_text[VALUE_TEXT_MAX];
        if ((status = register_read(view, lane, state->common.event, &set.items[i].which, &from,
                                    err)) != STATUS_OK ||
            (status = register_read(view, lane, state->other, &set.items[i].which, &to, err)) !=
                STATUS_OK ||
            register_values_equal(&from, &to))
            continue;
        value_number(from_text, from.values, from.known, from.size_bytes);
        value_number(to_text, to.values, to.known, to.size_bytes);
        const char *name = set.items[i].name;
        if (state->is_json) {
            json_key(&state->json, name);
            json_begin_object(&state->json);
        } else {
            out_text(&state->common.out, name);
            out_pad(&state->common.out, strlen(name) < 8 ? 8 - strlen(name) : 1);
        }
        put_change(state, from_text, to_text);
    }
    register_set_free(&set);
    return status;
}

// --- Memory --------------------------------------------------------------------------------------

static enum status walk_memory(struct state *state, const struct state_memory *memory,
                               struct error *err)
{
    struct state_range from, to;
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < memory->size_bytes; done += from.size_bytes) {
        if ((status = state_read_range(state, memory, done, state->common.event, &from, err)) !=
                STATUS_OK ||
            (status = state_read_range(state, memory, done, state->other, &to, err)) != STATUS_OK)
            break;
        // Shows runs of different bytes, cut at the ends of rows of the address space.
        char from_text[2 * ROW_BYTES + 1], to_text[2 * ROW_BYTES + 1];
        for (size_t i = 0, end; i < from.size_bytes; i = end) {
            size_t row_end = i + ROW_BYTES - (size_t)((from.address + i) % ROW_BYTES);
            for (end = i; end < row_end && end < from.size_bytes &&
                          (from.values[end] != to.values[end] || from.known[end] != to.known[end]);)
                end++;
            if (end == i) {
                end++;
                continue;
            }
            value_bytes(from_text, from.values + i, from.known + i, end - i);
            value_bytes(to_text, to.values + i, to.known + i, end - i);
            if (state->is_json) {
                json_begin_object(&state->json);
                json_member_address(&state->json, "address", from.address + i);
                json_member_u64(&state->json, "size", end - i);
            } else {
                out_text(&state->common.out, "0x");
                out_hex(&state->common.out, from.address + i, 8);
                out_pad(&state->common.out, 2);
            }
            put_change(state, from_text, to_text);
        }
    }
    return status;
}

// How many words touched by stores are looked up at a time.
enum { WORDS_AT_ONCE = 1024 };

static enum status walk_words(struct state *state, const uint64_t *addresses, size_t count,
                              struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0, end; i < count && status == STATUS_OK; i = end) {
        for (end = i + 1; end < count && addresses[end] == addresses[end - 1] + 8; end++) {
        }
        const struct state_memory memory = {NULL, addresses[i], 8 * (end - i)};
        status = walk_memory(state, &memory, err);
    }
    return status;
}

// Shows what was stored between the two points, in either order.
static enum status walk_stored(struct state *state, struct error *err)
{
    uint64_t first = state->common.event, last = state->other;
    if (first + 1 > last + 1) { // TRAWL_START comes before all
        first = state->other;
        last = state->common.event;
    }
    struct trawl_error from;
    uint64_t addresses[WORDS_AT_ONCE], address = 0;
    size_t count = WORDS_AT_ONCE;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && count == WORDS_AT_ONCE) {
        status = index_status(trawl_stored_words(state->common.session.view.index, first, last,
                                                 address, addresses, WORDS_AT_ONCE, &count, &from),
                              &from, err);
        if (status == STATUS_OK)
            status = walk_words(state, addresses, count, err);
        address = count ? addresses[count - 1] + 8 : 0;
    }
    return status;
}

static enum status walk_all_memory(struct state *state, struct error *err)
{
    enum status status = STATUS_OK;
    if (!state->memory.count && !state->registers)
        return walk_stored(state, err);
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = walk_memory(state, &state->memory.items[i], err);
    return status;
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_lane(struct state *state, uint64_t lane, struct error *err)
{
    struct out *out = &state->common.out;
    const char *name = query_lane_name(&state->common, lane);
    if (!state->is_json) {
        out_byte(out, '\n');
        out_clean(out, name ? name : "");
        out_text(out, name ? ":\n" : "");
        return walk_registers(state, lane, err);
    }
    json_begin_object(&state->json);
    json_member_text(&state->json, "lane", name);
    json_key(&state->json, "registers");
    json_begin_object(&state->json);
    enum status status = walk_registers(state, lane, err);
    json_end_object(&state->json);
    json_end_object(&state->json);
    return status;
}

enum status state_put_diff(struct state *state, struct error *err)
{
    struct json *json = state->is_json ? &state->json : NULL;
    struct out *out = &state->common.out;
    if (json)
        json_begin_object(json);
    else
        out_text(out, "from ");
    enum status status = state_put_point(state, "from", state->common.event, err);
    if (!json)
        out_text(out, "to ");
    if (status == STATUS_OK)
        status = state_put_point(state, "to", state->other, err);
    if (json && status == STATUS_OK) {
        json_key(json, "lanes");
        json_begin_array(json);
    }
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++)
        status = put_lane(state, lane, err);
    if (status != STATUS_OK)
        return status;
    if (json) {
        json_end_array(json);
        json_key(json, "memory");
        json_begin_array(json);
    } else if (state->memory.count) {
        out_byte(out, '\n');
    }
    status = walk_all_memory(state, err);
    if (json) {
        json_end_array(json);
        query_put_covered_json(&state->common, json);
        json_end_object(json);
    }
    return status;
}
