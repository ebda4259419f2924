#include "serve/place.h"

#include "analysis/point.h"
#include "base/limits.h"

// The lane whose registers are meant: that of the event, or the first.
static uint64_t lane_at(struct desk *desk, uint64_t event)
{
    uint64_t in_lane;
    return timeline_lane_of(&desk->timeline, event == TRAWL_START ? 0 : event, &in_lane);
}

enum status place_find(struct asking *asking, uint64_t event, struct place *place,
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
    place->is_big_endian = desk->session.view.info.options & TRAWL_BIG_ENDIAN;
    struct point_registers registers = {
        .view = &desk->session.view, .lane = place->lane, .event = event};
    return point_address(&location, &registers, &place->start, err);
}

size_t place_read(struct desk *desk, const struct place *place, uint64_t event, uint8_t *values,
                  uint8_t *known)
{
    size_t size = (size_t)u64_min(place->size_bytes, LIMIT_SERVE_REGISTER_BYTES);
    if (place->is_register)
        browse_registers(&desk->source, event, place->start, size, values, known);
    else
        browse_memory(&desk->source, event, place->start, size, values, known);
    return size;
}

enum status place_writes(struct desk *desk, const struct place *place, uint64_t event,
                         enum trawl_direction way, uint64_t *events, size_t capacity, size_t *count,
                         struct error *err)
{
    struct trawl_index *index = desk->session.view.index;
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

void place_put(struct asking *asking, const struct place *place, uint64_t event)
{
    uint8_t values[LIMIT_SERVE_REGISTER_BYTES], known[LIMIT_SERVE_REGISTER_BYTES];
    size_t size = place_read(asking->desk, place, event, values, known);
    json_key(asking->json, "value");
    answer_bytes(asking->json, values, known, size, place->is_register && !place->is_big_endian);
}
