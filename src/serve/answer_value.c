// writes, value, history: the values of a register or memory, and the events that wrote it.
#include "base/limits.h"
#include "query/point.h"
#include "serve/answer.h"
#include "serve/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- A register or memory, and what wrote it -----------------------------------------------------

struct place {
    bool is_register;
    uint64_t lane, start, size_bytes;
    bool is_big_endian; // its first byte is the most significant one
};

// Reads the parameter `of`: a register, ADDR or ADDR:SIZE, with registers in ADDR as after the
// event.
static enum status place_find(struct asking *asking, uint64_t event, struct place *place,
                              struct error *err)
{
    struct request_context *context = asking->context;
    const char *text = request_text(asking->request, "of");
    struct location location;
    if (!text || !*text)
        return error_set(err, STATUS_INPUT, "of: expected a register, ADDR or ADDR:SIZE");
    enum status status = browse_location(&context->source, event, text, &location, err);
    if (status != STATUS_OK)
        return status;
    uint64_t in_lane, known = event == TRAWL_START ? 0 : event; // the start has the first lane's
    *place = (struct place){.is_register = location.kind == LOCATION_REGISTER,
                            .lane = timeline_lane_of(&context->timeline, known, &in_lane),
                            .size_bytes = location.size_bytes};
    if (place->is_register) {
        place->start = location.which.offset;
        place->is_big_endian = location.which.flags & TRAWL_REGISTER_BIG_ENDIAN;
        return STATUS_OK;
    }
    place->is_big_endian = context->session.view.info.options & TRAWL_BIG_ENDIAN;
    struct point_registers registers = {
        .view = &context->session.view, .lane = place->lane, .event = event};
    return point_address(&location, &registers, &place->start, err);
}

// Reads its bytes after an event, at most LIMIT_SERVE_REGISTER_BYTES. Returns how many.
static size_t place_read(struct request_context *context, const struct place *place, uint64_t event,
                         uint8_t *values, uint8_t *known)
{
    size_t size = (size_t)u64_min(place->size_bytes, LIMIT_SERVE_REGISTER_BYTES);
    if (place->is_register)
        browse_registers(&context->source, event, place->start, size, values, known);
    else
        browse_memory(&context->source, event, place->start, size, values, known);
    return size;
}

// Finds events that wrote it, the nearest first.
static enum status place_writes(struct request_context *context, const struct place *place,
                                uint64_t event, enum trawl_direction way, uint64_t *events,
                                size_t capacity, size_t *count, struct error *err)
{
    struct trawl_index *index = context->session.view.index;
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

// Writes its value after an event: a register as the digits of a number, memory byte by byte.
static void place_put(struct asking *asking, const struct place *place, uint64_t event)
{
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    size_t size = place_read(asking->context, place, event, values, known);
    json_key(asking->json, "value");
    answer_bytes(asking->json, values, known, size, place->is_register && !place->is_big_endian);
}

// --- Writes --------------------------------------------------------------------------------------

static void put_write(struct asking *asking, const struct place *place, uint64_t event)
{
    struct trawl_event about;
    browse_event(&asking->context->source, event, &about);
    json_begin_object(asking->json);
    answer_event(asking->json, "event", event);
    answer_line(asking, "line", event);
    answer_text_u64(asking->json, "time", about.time);
    answer_name(asking, "name", about.pc);
    place_put(asking, place, event);
    json_end_object(asking->json);
}

// The nearest event that reads or writes memory, if reads are known.
static enum status put_access(struct asking *asking, const struct place *place, uint64_t event,
                              enum trawl_direction way, const char *key, struct error *err)
{
    struct trawl_memory_access access;
    struct trawl_error why;
    const enum trawl_status status =
        trawl_memory_accessed(asking->context->session.view.index, event, way, place->start,
                              place->size_bytes, &access, &why);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        return index_status(status, &why, err);
    json_key(asking->json, key);
    if (status == TRAWL_NOT_FOUND) {
        json_text(asking->json, NULL);
        return STATUS_OK;
    }
    json_begin_object(asking->json);
    answer_event(asking->json, "event", access.event);
    answer_line(asking, "line", access.event);
    json_member_bool(asking->json, "is_read", access.is_read);
    json_member_bool(asking->json, "is_written", access.is_written);
    json_end_object(asking->json);
    return STATUS_OK;
}

enum { WRITES_DEFAULT = 20, HISTORY_COLUMNS = 1000 };

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
        status = place_find(asking, event, &place, err);
    if (status == STATUS_OK)
        status = place_writes(asking->context, &place, event, (enum trawl_direction)way, events,
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

// --- One value -----------------------------------------------------------------------------------

// Its value as a number, if all of it is known.
static bool number_of(struct request_context *context, const struct place *place, uint64_t event,
                      uint64_t *number)
{
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    size_t size = place_read(context, place, event, values, known);
    bool is_whole = size && size <= sizeof *number;
    for (size_t i = 0; i < size; i++)
        is_whole = is_whole && known[i];
    if (is_whole)
        *number = point_number(values, size, place->is_big_endian);
    return is_whole;
}

static enum status put_nearest(struct asking *asking, const struct place *place, uint64_t event,
                               enum trawl_direction way, const char *key, struct error *err)
{
    uint64_t found;
    size_t count = 0;
    enum status status = place_writes(asking->context, place, event, way, &found, 1, &count, err);
    if (status != STATUS_OK)
        return status;
    json_key(asking->json, key);
    if (count)
        put_write(asking, place, found);
    else
        json_text(asking->json, NULL);
    return STATUS_OK;
}

// The value of something at a point, with the previous and the next write.
enum status answer_value(struct asking *asking, struct error *err)
{
    struct place place;
    uint64_t event, number;
    enum status status = asking_point(asking, &event, err);
    if (status == STATUS_OK)
        status = place_find(asking, event, &place, err);
    if (status != STATUS_OK)
        return status;
    json_member_bool(asking->json, "is_register", place.is_register);
    if (!place.is_register)
        json_member_address(asking->json, "address", place.start);
    json_member_u64(asking->json, "size", place.size_bytes);
    place_put(asking, &place, event);
    if (number_of(asking->context, &place, event, &number)) {
        json_member_address(asking->json, "number", number);
        answer_value_name(asking, event, number);
    }
    status = put_nearest(asking, &place, event, TRAWL_BACKWARD, "last", err);
    if (status == STATUS_OK)
        status = put_nearest(asking, &place, event, TRAWL_FORWARD, "next", err);
    const struct trawl_info *info = &asking->context->session.view.info;
    if (status != STATUS_OK || place.is_register || !(info->options & TRAWL_TELLS_LOADS))
        return status;
    // That before the event: the way back from one access to the other. Before event 0 is
    // TRAWL_START, and nothing is before that.
    const uint64_t before = event == TRAWL_START ? event : event - 1;
    status = put_access(asking, &place, before, TRAWL_BACKWARD, "previous_access", err);
    return status != STATUS_OK
               ? status
               : put_access(asking, &place, event, TRAWL_FORWARD, "next_access", err);
}

// --- Over a stretch ------------------------------------------------------------------------------

// What is followed over a stretch: a place, or an expression that is evaluated at each point.
struct followed {
    struct place place;
    struct expression expression;
    bool is_expression;
};

#define FOLLOWED_TEXT (sizeof "0x" + (size_t)2 * LIMIT_SERVE_REGISTER_BYTES)

// Its value as a number, if all of it is known; of more bytes than a number has, all digits if any
// is known. No text: it is unknown.
static void followed_text(struct asking *asking, const struct followed *followed, uint64_t event,
                          char text[FOLLOWED_TEXT])
{
    struct request_context *context = asking->context;
    const struct place *place = &followed->place;
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    uint64_t number;
    text[0] = '\0';
    if (!followed->is_expression && place->size_bytes > sizeof number) {
        size_t size = place_read(context, place, event, values, known);
        memcpy(text, "0x", sizeof "0x");
        answer_digits(text + strlen(text), values, known, size, !place->is_big_endian);
        if (!memchr(known, 1, size))
            text[0] = '\0';
    } else if (followed->is_expression
                   ? browse_evaluate(&context->source, &followed->expression, event, &number)
                   : number_of(context, place, event, &number)) {
        snprintf(text, FOLLOWED_TEXT, "0x%" PRIx64, number);
    }
}

// Reads `of`: a place, or "=EXPRESSION".
static enum status find_followed(struct asking *asking, uint64_t event, struct followed *followed,
                                 struct error *err)
{
    const char *text = request_text(asking->request, "of");
    *followed = (struct followed){.is_expression = text && *text == '='};
    if (followed->is_expression)
        return browse_parse(&asking->context->source, event, true, text + 1, &followed->expression,
                            err);
    enum status status = place_find(asking, event, &followed->place, err);
    if (status == STATUS_OK && followed->place.size_bytes > LIMIT_SERVE_REGISTER_BYTES)
        status =
            error_set(err, STATUS_INPUT, "of: expected up to %d bytes", LIMIT_SERVE_REGISTER_BYTES);
    return status;
}

// The event at the end of a column. TRAWL_START: before the first.
static enum status find_end(struct asking *asking, const struct stretch *stretch, uint64_t end,
                            uint64_t *event, struct error *err)
{
    struct request_context *context = asking->context;
    uint64_t count;
    enum status status = stretch_events_before(stretch, context, end, &count, err);
    if (status == STATUS_OK)
        *event =
            count ? timeline_event_of(&context->timeline, stretch->lane, count - 1) : TRAWL_START;
    return status;
}

static void put_step(struct json *json, uint64_t column, uint64_t event, const char *value)
{
    json_begin_array(json);
    json_u64(json, column);
    json_u64(json, event == TRAWL_START ? 0 : event);
    json_text(json, *value ? value : NULL);
    json_end_array(json);
}

// The value of something at the end of each column of a range.
enum status answer_history(struct asking *asking, struct error *err)
{
    struct stretch stretch;
    struct followed followed;
    char value[FOLLOWED_TEXT], before[FOLLOWED_TEXT] = "";
    uint64_t at, columns = HISTORY_COLUMNS;
    enum status status = stretch_read(asking->request, asking->context, &stretch, err);
    if (status == STATUS_OK)
        status = asking_point(asking, &at, err);
    if (status == STATUS_OK)
        status = request_u64(asking->request, "columns", LIMIT_SERVE_CHART_COLUMNS, &columns, err);
    if (status == STATUS_OK && !columns)
        status = error_set(err, STATUS_INPUT, "columns: expected some");
    if (status == STATUS_OK)
        status = find_followed(asking, at, &followed, err);
    if (status != STATUS_OK)
        return status;
    columns = u64_min(columns, stretch.to - stretch.from);
    followed.place.lane = stretch.lane;
    answer_text_u64(asking->json, "from", stretch.from);
    answer_text_u64(asking->json, "to", stretch.to);
    json_member_u64(asking->json, "columns", columns);
    json_key(asking->json, "steps");
    json_begin_array(asking->json);
    for (uint64_t column = 0; column < columns && status == STATUS_OK; column++) {
        uint64_t event;
        status = find_end(asking, &stretch, stretch_end_of(&stretch, column, columns), &event, err);
        if (status != STATUS_OK)
            break;
        followed_text(asking, &followed, event, value);
        if (!column || strcmp(value, before) != 0)
            put_step(asking->json, column, event, value);
        memcpy(before, value, strlen(value) + 1);
    }
    json_end_array(asking->json);
    return status;
}
