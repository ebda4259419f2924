// Register writes in blocks: segment by segment, timeline by timeline.
#include "idx/caller.h"
#include "idx/index.h"

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "registers of a segment", err);
}

// A timeline of the current segment, with the facts that all its writes share.
struct reading {
    struct trawl_index *index;
    const struct timeline_view *timeline;
    uint64_t first_event, event_count; // of the segment
    uint64_t lane, offset, mask, known;
    struct trawl_register_write_columns columns;
    size_t done;
};

static void put(const struct reading *reading, uint64_t *column, uint64_t value)
{
    if (column)
        column[reading->done] = value;
}

// Outputs `count` writes from number `from` on, at most COLUMN_BLOCK.
static bool put_writes(struct reading *reading, uint64_t from, size_t count)
{
    uint64_t rows[COLUMN_BLOCK], values[COLUMN_BLOCK];
    if (!column_read(&reading->timeline->events, from, count, rows) ||
        !column_read(&reading->timeline->values, from, count, values))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i] >= reading->event_count)
            return false;
        put(reading, reading->columns.event, reading->first_event + rows[i]);
        put(reading, reading->columns.lane, reading->lane);
        put(reading, reading->columns.offset, reading->offset);
        put(reading, reading->columns.mask, reading->mask);
        put(reading, reading->columns.value, values[i]);
        put(reading, reading->columns.known, reading->known);
        reading->done++;
    }
    return true;
}

static enum status put_timeline(struct reading *reading, struct segment_view *view,
                                struct trawl_register_cursor *place, size_t capacity,
                                struct error *err)
{
    uint64_t key = view->register_keys[place->timeline];
    unsigned mask = register_key_mask(key), first = mask ? (unsigned)__builtin_ctz(mask) : 0;
    reading->timeline = segment_timeline(reading->index, view, (size_t)place->timeline, err);
    if (!reading->timeline)
        return STATUS_DAMAGED;
    const bool is_unknown = register_key_cell(key) & REGISTER_VALUE_UNKNOWN;
    if (!mask)
        return damaged(reading->index, err);
    reading->lane = key >> 24;
    reading->offset = 8 * (uint64_t)register_cell(register_key_cell(key)) + first;
    reading->mask = mask >> first;
    reading->known = is_unknown ? 0 : reading->mask;
    if (is_unknown && !reading->columns.known)
        place->write = reading->timeline->events.count; // the caller would take it for a value
    while (place->write < reading->timeline->events.count && reading->done < capacity) {
        uint64_t count = u64_min(reading->timeline->events.count - place->write, COLUMN_BLOCK);
        count = u64_min(count, capacity - reading->done);
        if (!put_writes(reading, place->write, (size_t)count))
            return damaged(reading->index, err);
        place->write += count;
    }
    if (place->write >= reading->timeline->events.count) {
        place->timeline++;
        place->write = 0;
    }
    return STATUS_OK;
}

enum trawl_status
trawl_register_log_(struct trawl_index *index, struct trawl_register_cursor *place, uint64_t until,
                    size_t capacity, const struct trawl_register_write_columns *columns,
                    size_t columns_bytes, size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    struct reading reading = {.index = index};
    caller_take(&reading.columns, sizeof reading.columns, columns, columns_bytes);
    until = u64_min(until, index->segment_count);
    *count = 0;
    while (place->segment < until && reading.done < capacity) {
        struct segment_view *view = index_segment(index, place->segment, err);
        enum status status = view ? segment_registers(index, view, err) : STATUS_DAMAGED;
        reading.first_event = place->segment * index->identity[IDENTITY_SEGMENT_EVENTS];
        reading.event_count = status == STATUS_OK ? index_segment_events(index, place->segment) : 0;
        while (status == STATUS_OK && place->timeline < view->register_count &&
               reading.done < capacity)
            status = put_timeline(&reading, view, place, capacity, err);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        *count = reading.done;
        if (place->timeline >= view->register_count)
            *place = (struct trawl_register_cursor){.segment = place->segment + 1};
    }
    return TRAWL_OK;
}
