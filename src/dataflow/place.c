#include "dataflow/place.h"

#include <inttypes.h>
#include <stdio.h>

static bool add_bytes(struct data_target *target, unsigned space, uint64_t lane, uint64_t start,
                      uint64_t size_bytes, uint64_t to_place)
{
    for (uint64_t at = start; at - start < size_bytes;) {
        uint64_t low = at % 8, size = u64_min(8 - low, size_bytes - (at - start));
        if (target->count == ARRAY_COUNT(target->cells))
            return false;
        target->cells[target->count++] =
            (struct dataflow_bytes){.cell = at / 8,
                                    .to_place = to_place,
                                    .lane = (uint32_t)lane,
                                    .space = (uint8_t)space,
                                    .mask = (uint16_t)(((1u << size) - 1) << low)};
        at += size;
    }
    return true;
}

// Adds memory at the places that addresses have at an event.
static enum status add_memory(struct data_target *target, const struct dataflow *flow,
                              uint64_t event, uint64_t address, uint64_t size_bytes, bool *fits,
                              struct error *err)
{
    *fits = true;
    for (uint64_t done = 0, here; done < size_bytes && *fits; done += here) {
        struct trawl_place place = {address + done, size_bytes, TRAWL_PLACE_KNOWN};
        struct trawl_error from;
        enum trawl_status found =
            flow->has_places ? trawl_place(flow->view->index, event, address + done, &place, &from)
                             : TRAWL_OK;
        if (found == TRAWL_OK && place.kind != TRAWL_PLACE_KNOWN) { // has the answer say so
            uint8_t value, known;
            found =
                trawl_memory(flow->view->index, event, address + done, 1, &value, &known, &from);
        }
        if (found != TRAWL_OK)
            return index_status(found, &from, err);
        here = u64_min(u64_max(place.size_bytes, 1), size_bytes - done);
        *fits =
            add_bytes(target, DATA_MEMORY, 0, place.place, here, place.place - (address + done));
    }
    return STATUS_OK;
}

enum status data_target_of(struct data_target *target, const struct dataflow *flow,
                           const char *what, const struct location *location, uint64_t lane,
                           uint64_t event, uint64_t address, struct error *err)
{
    const struct trawl_register *which = &location->which;
    bool is_register = location->kind == LOCATION_REGISTER;
    uint64_t size_bytes = is_register ? which->size_bytes : location->size_bytes;
    *target = (struct data_target){.lane = lane};
    if (!size_bytes)
        return error_set(err, STATUS_INPUT,
                         "'%.200s': every instruction writes the pc; 'trawl pc' finds one", what);
    if (is_register && which->offset == flow->kind->flags_offset) {
        target->cells[target->count++] = (struct dataflow_bytes){
            .lane = (uint32_t)lane, .space = DATA_FLAGS, .mask = flow->kind->flags};
        return STATUS_OK;
    }
    bool fits =
        is_register && add_bytes(target, DATA_REGISTERS, lane, which->offset, size_bytes, 0);
    enum status status =
        is_register ? STATUS_OK : add_memory(target, flow, event, address, size_bytes, &fits, err);
    return status != STATUS_OK ? status
           : fits              ? STATUS_OK
                               : error_set(err, STATUS_LIMIT, "'%.200s': more than %d bytes", what,
                                           LIMIT_DATA_TARGET_BYTES);
}

// The narrowest register of an instruction set that has all of these bytes; otherwise of any.
static bool find_name(const struct index_view *view, const struct data_place *place, uint32_t isa,
                      struct trawl_register *found)
{
    bool is_found = false, is_shown = false;
    uint64_t count = trawl_register_count(view->index);
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register about;
        if (trawl_register(view->index, i, &about, NULL) != TRAWL_OK ||
            about.offset > place->offset || about.size_bytes < place->size_bytes ||
            place->offset - about.offset > about.size_bytes - place->size_bytes)
            continue;
        bool shows = about.shown >> isa & 1 || about.isas >> isa & 1;
        if (is_found &&
            (is_shown > shows || (is_shown == shows && found->size_bytes <= about.size_bytes)))
            continue;
        *found = about;
        is_found = true;
        is_shown = shows;
    }
    return is_found;
}

void data_place_text(const struct index_view *view, const struct data_place *place, uint32_t isa,
                     char text[DATA_PLACE_BYTES])
{
    struct trawl_register about;
    if (place->space == DATA_FLAGS) {
        memcpy(text, "flags", 6);
    } else if (place->space == DATA_MEMORY) {
        snprintf(text, DATA_PLACE_BYTES, "0x%" PRIx64 ":%" PRIu64, place->offset,
                 place->size_bytes);
    } else if (!find_name(view, place, isa, &about)) {
        memcpy(text, "?", 2);
    } else if (about.size_bytes == place->size_bytes) {
        snprintf(text, DATA_PLACE_BYTES, "%.64s", about.name);
    } else {
        uint64_t first = place->offset - about.offset, last = first + place->size_bytes - 1;
        int length = snprintf(text, DATA_PLACE_BYTES, "%.48s[%" PRIu64, about.name, first);
        snprintf(text + length, DATA_PLACE_BYTES - (size_t)length,
                 last > first ? "..%" PRIu64 "]" : "]", last);
    }
}

// Memory by place; what the trace does not show of it, as an image has it at the address.
static enum trawl_status read_memory(const struct index_view *view, const struct data_place *place,
                                     uint64_t event, size_t size, uint8_t *values, uint8_t *known,
                                     struct trawl_error *from)
{
    bool has_places = trawl_has_places(view->index);
    enum trawl_status read = has_places
                                 ? dataflow_memory(view, event, place->offset + place->to_place,
                                                   size, values, known, from)
                                 : TRAWL_OK;
    if (read != TRAWL_OK || (has_places && memchr(known, 1, size)))
        return read;
    return index_view_memory(view, event, place->offset, size, values, known, from);
}

enum status data_place_value(const struct index_view *view, const struct data_place *place,
                             uint64_t event, char text[VALUE_TEXT_MAX], bool *has_value,
                             struct error *err)
{
    uint8_t values[LIMIT_WRITE_SHOWN_BYTES], known[LIMIT_WRITE_SHOWN_BYTES];
    struct trawl_error from;
    enum trawl_status read;
    size_t size = (size_t)place->size_bytes;
    *has_value = false;
    if (place->space == DATA_FLAGS || place->size_bytes > LIMIT_WRITE_SHOWN_BYTES)
        return STATUS_OK;
    read = place->space == DATA_MEMORY ? read_memory(view, place, event, size, values, known, &from)
                                       : trawl_registers(view->index, place->lane, event,
                                                         place->offset, size, values, known, &from);
    if (read != TRAWL_OK)
        return index_status(read, &from, err);
    for (size_t i = 0; i < size; i++)
        *has_value |= known[i];
    if (size > 8 || (size & (size - 1)) || place->space == DATA_REGISTERS ||
        !(view->info.options & TRAWL_BIG_ENDIAN)) {
        if (size > 8 && place->space == DATA_MEMORY)
            value_bytes(text, values, known, size);
        else
            value_number(text, values, known, size);
        return STATUS_OK;
    }
    uint8_t turned[8], turned_known[8];
    for (size_t i = 0; i < size; i++) {
        turned[i] = values[size - 1 - i];
        turned_known[i] = known[size - 1 - i];
    }
    value_number(text, turned, turned_known, size);
    return STATUS_OK;
}
