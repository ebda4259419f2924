// registers, memory, writes: the state at a point, and what made it.
#include "analysis/point.h"
#include "base/limits.h"
#include "serve/answer.h"

#include <inttypes.h>
#include <stdlib.h>

// The lane whose registers are meant: that of the event, or the first.
static uint64_t lane_at(struct desk *desk, uint64_t event)
{
    uint64_t in_lane;
    return timeline_lane_of(&desk->timeline, event == TRAWL_START ? 0 : event, &in_lane);
}

// Bytes from the one that people write first; two digits each, ".." where one is not known.
static void put_bytes(struct json *json, const uint8_t *values, const uint8_t *known, size_t size,
                      bool is_little_endian)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * LIMIT_SERVE_MEMORY_BYTES + 1];
    for (size_t i = 0; i < size; i++) {
        size_t from = is_little_endian ? size - 1 - i : i;
        text[2 * i] = known[from] ? digits[values[from] >> 4] : '.';
        text[2 * i + 1] = known[from] ? digits[values[from] & 15] : '.';
    }
    text[2 * size] = '\0';
    json_text(json, text);
}

// --- Registers -----------------------------------------------------------------------------------

static void put_value(struct asking *asking, const struct trawl_register *about, uint64_t event)
{
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    size_t size = (size_t)about->size_bytes;
    struct browse_source *source = &asking->desk->source;
    json_key(asking->json, "value");
    if (!size || size > sizeof values) {
        json_text(asking->json, NULL);
        return;
    }
    browse_registers(source, event, about->offset, size, values, known);
    put_bytes(asking->json, values, known, size, !(about->flags & TRAWL_REGISTER_BIG_ENDIAN));
    bool is_whole = size == 8 || size == 4;
    for (size_t i = 0; i < size; i++)
        is_whole = is_whole && known[i];
    if (is_whole && about->flags & TRAWL_REGISTER_GENERAL)
        answer_name(asking, "name_of",
                    point_number(values, size, about->flags & TRAWL_REGISTER_BIG_ENDIAN));
}

static void put_register(struct asking *asking, const struct trawl_register *about, uint64_t event)
{
    struct json *json = asking->json;
    json_begin_object(json);
    answer_text(json, "name", about->name);
    answer_text(json, "kind",
                about->flags & TRAWL_REGISTER_VECTOR     ? "vector"
                : about->flags & TRAWL_REGISTER_SYSTEM   ? "system"
                : about->flags & TRAWL_REGISTER_VARIABLE ? "variable"
                                                         : "general");
    put_value(asking, about, event);
    answer_event(json, "written",
                 browse_register_written(&asking->desk->source, event, about->offset,
                                         (size_t)about->size_bytes));
    json_end_object(json);
}

enum status answer_registers(struct asking *asking, struct error *err)
{
    struct desk *desk = asking->desk;
    struct trawl_index *index = desk->session.view.index;
    struct trawl_register about;
    struct trawl_event here;
    struct trawl_error why;
    uint64_t event;
    enum status status = asking_point(asking, &event, err);
    if (status != STATUS_OK)
        return status;
    browse_event(&desk->source, event, &here);
    uint32_t isa = point_isa(&desk->session.view, &here);
    json_key(asking->json, "registers");
    json_begin_array(asking->json);
    for (uint64_t i = 0; trawl_register(index, i, &about, &why) == TRAWL_OK; i++) {
        bool is_listed = about.shown >> isa & 1 && about.size_bytes;
        if (is_listed)
            put_register(asking, &about, event);
    }
    json_end_array(asking->json);
    return STATUS_OK;
}

// --- Memory --------------------------------------------------------------------------------------

static enum status find_address(struct asking *asking, uint64_t event, uint64_t *address,
                                struct error *err)
{
    struct desk *desk = asking->desk;
    const char *text = request_text(asking->request, "address");
    struct expression expression;
    if (!text || !*text)
        return error_set(err, STATUS_INPUT, "address: expected an expression such as sp+16");
    enum status status = browse_parse(&desk->source, event, true, text, &expression, err);
    if (status == STATUS_OK && !browse_evaluate(&desk->source, &expression, event, address))
        return error_set(err, STATUS_NOT_FOUND, "%s: has no value here", text);
    return status;
}

enum { MEMORY_BYTES_DEFAULT = 256 };

enum status answer_memory(struct asking *asking, struct error *err)
{
    struct desk *desk = asking->desk;
    uint8_t values[LIMIT_SERVE_MEMORY_BYTES], known[LIMIT_SERVE_MEMORY_BYTES];
    uint64_t event, address, size = MEMORY_BYTES_DEFAULT;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "size", LIMIT_SERVE_MEMORY_BYTES, &size, err);
    if (status == STATUS_OK)
        status = find_address(asking, event, &address, err);
    if (status != STATUS_OK)
        return status;
    size = u64_min(size, UINT64_MAX - address); // the last byte of all is not asked for
    browse_memory(&desk->source, event, address, (size_t)size, values, known);
    answer_address(asking->json, "address", address);
    json_key(asking->json, "bytes");
    put_bytes(asking->json, values, known, (size_t)size, false);
    answer_event(asking->json, "written",
                 size ? browse_memory_written(&desk->source, event, address, size) : TRAWL_NONE);
    return STATUS_OK;
}

// --- Writes --------------------------------------------------------------------------------------

struct place {
    bool is_register;
    uint64_t lane, start, size_bytes;
    bool is_big_endian;
};

static enum status find_place(struct asking *asking, uint64_t event, struct place *place,
                              struct error *err)
{
    struct desk *desk = asking->desk;
    const char *text = request_text(asking->request, "of");
    struct location location;
    if (!text || !*text)
        return error_set(err, STATUS_INPUT, "of: expected a register, ADDR or ADDR:SIZE");
    enum status status = browse_location(&desk->source, event, text, &location, err);
    if (status != STATUS_OK)
        return status;
    *place = (struct place){.is_register = location.kind == LOCATION_REGISTER,
                            .lane = lane_at(desk, event),
                            .size_bytes = location.size_bytes};
    if (place->is_register) {
        place->start = location.which.offset;
        place->is_big_endian = location.which.flags & TRAWL_REGISTER_BIG_ENDIAN;
        return STATUS_OK;
    }
    struct point_registers registers = {
        .view = &desk->session.view, .lane = place->lane, .event = event};
    return point_address(&location, &registers, &place->start, err);
}

static enum status find_writes(struct asking *asking, const struct place *place, uint64_t event,
                               enum trawl_direction way, uint64_t *events, size_t capacity,
                               size_t *count, struct error *err)
{
    struct trawl_index *index = asking->desk->session.view.index;
    struct trawl_write writes[LIMIT_SERVE_WRITES];
    struct trawl_error why;
    enum trawl_status status;
    if (place->is_register) {
        status = trawl_register_writes(index, place->lane, event, way, place->start,
                                       (size_t)place->size_bytes, events, capacity, count, &why);
        return index_status(status, &why, err);
    }
    status = trawl_memory_writes(index, event, way, place->start, place->size_bytes, writes,
                                 capacity, count, &why);
    for (size_t i = 0; status == TRAWL_OK && i < *count; i++)
        events[i] = writes[i].event;
    return index_status(status, &why, err);
}

static void put_write(struct asking *asking, const struct place *place, uint64_t event)
{
    struct desk *desk = asking->desk;
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    size_t size = (size_t)u64_min(place->size_bytes, sizeof values);
    struct trawl_event about;
    browse_event(&desk->source, event, &about);
    if (place->is_register)
        browse_registers(&desk->source, event, place->start, size, values, known);
    else
        browse_memory(&desk->source, event, place->start, size, values, known);
    json_begin_object(asking->json);
    answer_event(asking->json, "event", event);
    answer_line(asking, "line", event);
    answer_text_u64(asking->json, "time", about.time);
    answer_name(asking, "name", about.pc);
    json_key(asking->json, "value");
    put_bytes(asking->json, values, known, size, place->is_register && !place->is_big_endian);
    json_end_object(asking->json);
}

enum { WRITES_DEFAULT = 20 };

enum status answer_writes(struct asking *asking, struct error *err)
{
    static const char *const words[] = {[TRAWL_FORWARD] = "forward", [TRAWL_BACKWARD] = "backward"};
    uint64_t events[LIMIT_SERVE_WRITES], event, capacity = WRITES_DEFAULT;
    size_t count = 0, way = TRAWL_BACKWARD;
    struct place place;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = request_word(asking->request, "way", words, ARRAY_COUNT(words), &way, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "count", LIMIT_SERVE_WRITES, &capacity, err);
    if (status == STATUS_OK)
        status = find_place(asking, event, &place, err);
    if (status == STATUS_OK)
        status = find_writes(asking, &place, event, (enum trawl_direction)way, events,
                             (size_t)capacity, &count, err);
    if (status != STATUS_OK)
        return status;
    json_key(asking->json, "writes");
    json_begin_array(asking->json);
    for (size_t i = 0; i < count; i++)
        put_write(asking, &place, events[i]);
    json_end_array(asking->json);
    return STATUS_OK;
}
