// state --diff: the differences between two points.
#include "cmd/state_diff.h"
#include "report/clean.h"
#include "report/value.h"

// Bytes in one row.
enum { ROW_BYTES = 16 };

// --- Registers -----------------------------------------------------------------------------------

// The output for differences.
struct shower {
    struct state *state;
    void (*put_register)(struct state *state, const char *name, const char *from, const char *to);
    void (*put_memory)(struct state *state, uint64_t address, size_t size_bytes, const char *from,
                       const char *to);
};

static enum status walk_registers(const struct shower *shower, uint64_t lane, struct error *err)
{
    struct state *state = shower->state;
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
        shower->put_register(state, set.items[i].name, from_text, to_text);
    }
    register_set_free(&set);
    return status;
}

// --- Memory --------------------------------------------------------------------------------------

static bool differs(const struct state_piece *from, const struct state_piece *to, size_t i)
{
    return from->values[i] != to->values[i] || from->known[i] != to->known[i];
}

// Shows runs of different bytes, cut at the ends of rows of the address space.
static void walk_piece(const struct shower *shower, const struct state_piece *from,
                       const struct state_piece *to)
{
    char from_text[2 * ROW_BYTES + 1], to_text[2 * ROW_BYTES + 1];
    for (size_t i = 0, end; i < from->size_bytes; i = end) {
        size_t row_end = i + ROW_BYTES - (size_t)((from->address + i) % ROW_BYTES);
        for (end = i; end < row_end && end < from->size_bytes && differs(from, to, end); end++) {
        }
        if (end == i) {
            end++;
            continue;
        }
        value_bytes(from_text, from->values + i, from->known + i, end - i);
        value_bytes(to_text, to->values + i, to->known + i, end - i);
        shower->put_memory(shower->state, from->address + i, end - i, from_text, to_text);
    }
}

static enum status walk_memory(const struct shower *shower, const struct state_memory *memory,
                               struct error *err)
{
    struct state_piece from, to;
    const struct state *state = shower->state;
    enum status status = STATUS_OK;
    for (uint64_t done = 0; done < memory->size_bytes; done += from.size_bytes) {
        if ((status = state_read_piece(state, memory, done, state->common.event, &from, err)) !=
                STATUS_OK ||
            (status = state_read_piece(state, memory, done, state->other, &to, err)) != STATUS_OK)
            break;
        walk_piece(shower, &from, &to);
    }
    return status;
}

// How many words touched by stores are looked up at a time.
enum { WORDS_AT_ONCE = 1024 };

static enum status walk_words(const struct shower *shower, const uint64_t *addresses, size_t count,
                              struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0, end; i < count && status == STATUS_OK; i = end) {
        for (end = i + 1; end < count && addresses[end] == addresses[end - 1] + 8; end++) {
        }
        const struct state_memory memory = {NULL, addresses[i], 8 * (end - i)};
        status = walk_memory(shower, &memory, err);
    }
    return status;
}

// Shows what was stored between the two points, in either order.
static enum status walk_stored(const struct shower *shower, struct error *err)
{
    uint64_t first = shower->state->common.event, last = shower->state->other;
    if (first + 1 > last + 1) { // TRAWL_START comes before all
        first = shower->state->other;
        last = shower->state->common.event;
    }
    struct trawl_error from;
    uint64_t addresses[WORDS_AT_ONCE], address = 0;
    size_t count = WORDS_AT_ONCE;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && count == WORDS_AT_ONCE) {
        status =
            index_status(trawl_stored_words(shower->state->common.session.view.index, first, last,
                                            address, addresses, WORDS_AT_ONCE, &count, &from),
                         &from, err);
        if (status == STATUS_OK)
            status = walk_words(shower, addresses, count, err);
        address = count ? addresses[count - 1] + 8 : 0;
    }
    return status;
}

static enum status walk_all_memory(const struct shower *shower, struct error *err)
{
    const struct state *state = shower->state;
    enum status status = STATUS_OK;
    if (!state->memory.count && !state->registers)
        return walk_stored(shower, err);
    for (size_t i = 0; i < state->memory.count && status == STATUS_OK; i++)
        status = walk_memory(shower, &state->memory.items[i], err);
    return status;
}

// --- Text ----------------------------------------------------------------------------------------

static void put_change(struct state *state, const char *from, const char *to)
{
    out_text(state->out, from);
    out_text(state->out, " -> ");
    out_text(state->out, to);
    out_byte(state->out, '\n');
}

static void put_register(struct state *state, const char *name, const char *from, const char *to)
{
    out_text(state->out, name);
    out_pad(state->out, strlen(name) < 8 ? 8 - strlen(name) : 1);
    put_change(state, from, to);
}

static void put_memory(struct state *state, uint64_t address, size_t size_bytes, const char *from,
                       const char *to)
{
    (void)size_bytes;
    out_text(state->out, "0x");
    out_hex(state->out, address, 8);
    out_pad(state->out, 2);
    put_change(state, from, to);
}

enum status state_diff_put(struct state *state, struct error *err)
{
    const struct shower shower = {state, put_register, put_memory};
    out_text(state->out, "from ");
    enum status status = state_put_point(state, state->common.event, err);
    out_text(state->out, "to ");
    if (status == STATUS_OK)
        status = state_put_point(state, state->other, err);
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++) {
        out_byte(state->out, '\n');
        if (query_lane_name(&state->common, lane)) {
            out_clean(state->out, query_lane_name(&state->common, lane));
            out_text(state->out, ":\n");
        }
        status = walk_registers(&shower, lane, err);
    }
    if (state->memory.count)
        out_byte(state->out, '\n');
    return status == STATUS_OK ? walk_all_memory(&shower, err) : status;
}

// --- JSON ----------------------------------------------------------------------------------------

static void put_change_json(struct json *json, const char *from, const char *to)
{
    json_key(json, "from");
    json_text(json, from);
    json_key(json, "to");
    json_text(json, to);
    json_end_object(json);
}

static void put_register_json(struct state *state, const char *name, const char *from,
                              const char *to)
{
    json_key(&state->json, name);
    json_begin_object(&state->json);
    put_change_json(&state->json, from, to);
}

static void put_memory_json(struct state *state, uint64_t address, size_t size_bytes,
                            const char *from, const char *to)
{
    json_begin_object(&state->json);
    json_key(&state->json, "address");
    json_address(&state->json, address);
    json_key(&state->json, "size");
    json_u64(&state->json, size_bytes);
    put_change_json(&state->json, from, to);
}

static enum status put_lane_json(const struct shower *shower, uint64_t lane, struct error *err)
{
    struct json *json = &shower->state->json;
    json_begin_object(json);
    json_key(json, "lane");
    json_text(json, query_lane_name(&shower->state->common, lane));
    json_key(json, "registers");
    json_begin_object(json);
    enum status status = walk_registers(shower, lane, err);
    json_end_object(json);
    json_end_object(json);
    return status;
}

enum status state_diff_put_json(struct state *state, struct error *err)
{
    const struct shower shower = {state, put_register_json, put_memory_json};
    struct json *json = &state->json;
    json_begin_object(json);
    json_key(json, "from");
    enum status status = state_put_point_json(state, state->common.event, err);
    json_key(json, "to");
    if (status == STATUS_OK)
        status = state_put_point_json(state, state->other, err);
    if (status != STATUS_OK)
        return status;
    json_key(json, "lanes");
    json_begin_array(json);
    for (uint64_t lane = state_first_lane(state);
         lane < state_end_lane(state) && status == STATUS_OK; lane++)
        status = put_lane_json(&shower, lane, err);
    json_end_array(json);
    json_key(json, "memory");
    json_begin_array(json);
    if (status == STATUS_OK)
        status = walk_all_memory(&shower, err);
    json_end_array(json);
    query_put_covered_json(&state->common, json);
    json_end_object(json);
    return status;
}
