// Register writes in blocks: of all registers, segment by segment and timeline by timeline; or of
// one register, in order of events, with its values; or the next that gives it a value in a range.
#include "idx/caller.h"
#include "idx/index.h"

#include <stdlib.h>

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

// --- Values of one register ----------------------------------------------------------------------

// A timeline that writes bytes of the register, read block by block.
struct written_bytes {
    const struct timeline_view *timeline;
    uint64_t from; // the place in the timeline of the first write that is buffered
    size_t at, count;
    unsigned mask, shift; // bytes of the register; in bytes, to where they are in a value
    bool is_known;
    uint64_t rows[COLUMN_BLOCK], values[COLUMN_BLOCK];
};

// The row of its next write; UINT64_MAX: there is none. False: damage.
static bool next_row(struct written_bytes *bytes, uint64_t *row)
{
    *row = UINT64_MAX;
    if (bytes->at == bytes->count) {
        const struct timeline_view *timeline = bytes->timeline;
        bytes->from += bytes->count;
        bytes->count = (size_t)u64_min(timeline->events.count - bytes->from, COLUMN_BLOCK);
        bytes->at = 0;
        if (!bytes->count)
            return true;
        if (!column_read_rising(&timeline->events, bytes->from, bytes->count, bytes->rows) ||
            !column_read(&timeline->values, bytes->from, bytes->count, bytes->values))
            return false;
    }
    *row = bytes->rows[bytes->at];
    return true;
}

// The timelines of a segment that write any of the bytes `wanted` of a cell, at most 2 * 255, each
// before its first write at or after row `from`.
static enum status open_written(struct trawl_index *index, struct segment_view *view, uint64_t lane,
                                uint64_t cell, unsigned wanted, uint64_t from,
                                struct written_bytes **all, size_t *count, struct error *err)
{
    static const unsigned flags[] = {0, REGISTER_VALUE_UNKNOWN};
    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        uint64_t first = register_key((unsigned)lane, (unsigned)cell | flags[i], 0);
        size_t at;
        PARTITION_POINT(at, view->register_count, view->register_keys[middle] < first);
        for (; at < view->register_count && view->register_keys[at] >> 8 == first >> 8; at++) {
            unsigned mask = register_key_mask(view->register_keys[at]);
            if (!(mask & wanted))
                continue;
            const struct timeline_view *timeline = segment_timeline(index, view, at, err);
            if (!timeline)
                return STATUS_DAMAGED;
            struct written_bytes *more = realloc(*all, (*count + 1) * sizeof **all);
            if (!more)
                return index_no_memory(index, err);
            *all = more;
            struct written_bytes *bytes = &more[*count];
            bytes->timeline = timeline;
            bytes->from = 0;
            if (from && !column_search(&timeline->events, 0, timeline->events.count, from - 1,
                                       &bytes->from))
                return damaged(index, err);
            bytes->at = bytes->count = 0;
            bytes->mask = mask;
            bytes->shift = (unsigned)__builtin_ctz(mask) * 8;
            bytes->is_known = !flags[i];
            ++*count;
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_register_values_(struct trawl_index *index, uint64_t lane, uint64_t after,
                                         uint64_t until, uint64_t offset, size_t size_bytes,
                                         size_t capacity,
                                         const struct trawl_register_value_columns *columns,
                                         size_t columns_bytes, size_t *count,
                                         struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_register_value_columns out;
    uint8_t values[8], are_known[8];
    caller_take(&out, sizeof out, columns, columns_bytes);
    *count = 0;
    if (!size_bytes || size_bytes > 8 - offset % 8)
        return errors_give(error, &why,
                           error_set(err, STATUS_NOT_FOUND, "%s: no such bytes", index->path));
    enum trawl_status read =
        trawl_registers(index, lane, after, offset, size_bytes, values, are_known, error);
    if (read != TRAWL_OK)
        return read;
    const unsigned first = offset % 8; // of the cell
    const unsigned wanted = (unsigned)bits_up_to(size_bytes - 1) << first;
    uint64_t value = 0;
    unsigned known = 0; // both as in the cell
    for (size_t i = 0; i < size_bytes; i++) {
        value |= (uint64_t)values[i] << (8 * (first + i));
        known |= (unsigned)are_known[i] << (first + i);
    }
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    uint64_t event = after + 1; // TRAWL_START + 1 is 0
    struct written_bytes *all = NULL;
    enum status status = STATUS_OK;
    until = u64_min(until, index->identity[IDENTITY_EVENTS]);
    while (event < until && *count < capacity && status == STATUS_OK) {
        const uint64_t number = event / per_segment, start = number * per_segment;
        const uint64_t events = index_segment_events(index, number);
        struct segment_view *view = index_segment(index, number, err);
        size_t open_count = 0;
        status = view ? segment_registers(index, view, err) : STATUS_DAMAGED;
        if (status == STATUS_OK)
            status = open_written(index, view, lane, offset / 8, wanted, event - start, &all,
                                  &open_count, err);
        event = start + events; // of the next segment
        while (open_count && status == STATUS_OK && *count < capacity) {
            uint64_t row = UINT64_MAX, next;
            for (size_t i = 0; i < open_count && status == STATUS_OK; i++) {
                if (!next_row(&all[i], &next))
                    status = damaged(index, err);
                row = u64_min(row, next);
            }
            if (status != STATUS_OK || row == UINT64_MAX || start + row >= until)
                break;
            if (row >= events) {
                status = damaged(index, err);
                break;
            }
            known = index->has_snapshots ? 0 : known; // a frame has nothing of those before it
            for (size_t i = 0; i < open_count; i++) {
                struct written_bytes *bytes = &all[i];
                if (bytes->at == bytes->count || bytes->rows[bytes->at] != row)
                    continue;
                uint64_t now = bytes->values[bytes->at++] << bytes->shift;
                uint64_t taken = bytes_of_mask((uint8_t)bytes->mask);
                value = (value & ~taken) | (now & taken);
                known = bytes->is_known ? known | bytes->mask : known & ~bytes->mask;
            }
            out.event[*count] = start + row;
            out.known[*count] = (known & wanted) >> first;
            out.value[*count] = (value & bytes_of_mask((uint8_t)(known & wanted))) >> (8 * first);
            ++*count;
        }
    }
    free(all);
    return errors_give(error, &why, status);
}

// --- The next value in a range -------------------------------------------------------------------

// The row of the first write from number bytes->from on that can leave a value from `low` to `high`
// in the wanted bytes of the cell, or an unknown one: a write of only some of them always can.
// UINT64_MAX: none. False: damage.
static bool next_within(const struct written_bytes *bytes, unsigned wanted, uint64_t low,
                        uint64_t high, uint64_t *row)
{
    const struct column *events = &bytes->timeline->events, *values = &bytes->timeline->values;
    const unsigned shift = (unsigned)__builtin_ctz(wanted) * 8 - bytes->shift;
    const uint64_t greatest = bytes_of_mask((uint8_t)(wanted >> __builtin_ctz(wanted)));
    uint64_t place = bytes->from, min, max, numbers[COLUMN_BLOCK];
    *row = UINT64_MAX;
    if (place >= events->count)
        return true;
    if ((bytes->mask & wanted) != wanted || !bytes->is_known)
        return column_get(events, place, row);
    while (place < events->count) {
        const uint64_t end = u64_min((place / COLUMN_BLOCK + 1) * COLUMN_BLOCK, events->count);
        if (!column_block_range(values, place / COLUMN_BLOCK, &min, &max))
            return false;
        const bool is_whole = !shift && max <= greatest; // the extremes are those of the register
        if (!is_whole || (max >= low && min <= high)) {
            if (!column_read(values, place, (size_t)(end - place), numbers))
                return false;
            for (uint64_t i = 0; i < end - place; i++) {
                const uint64_t value = numbers[i] >> shift & greatest;
                if (value >= low && value <= high)
                    return column_get(events, place + i, row);
            }
        }
        place = end;
    }
    return true;
}

// The same for the writes of a segment from a row on, of all timelines.
static enum status next_in_segment(struct trawl_index *index, uint64_t number, uint64_t lane,
                                   uint64_t cell, unsigned wanted, uint64_t from, uint64_t low,
                                   uint64_t high, uint64_t *row, struct error *err)
{
    struct segment_view *view = index_segment(index, number, err);
    struct written_bytes *all = NULL;
    size_t count = 0;
    uint64_t found;
    *row = UINT64_MAX;
    enum status status = view ? segment_registers(index, view, err) : STATUS_DAMAGED;
    if (status == STATUS_OK)
        status = open_written(index, view, lane, cell, wanted, from, &all, &count, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (!next_within(&all[i], wanted, low, high, &found))
            status = damaged(index, err);
        *row = u64_min(*row, found);
    }
    free(all);
    const bool is_outside = *row < from || *row >= index_segment_events(index, number);
    return status == STATUS_OK && *row != UINT64_MAX && is_outside ? damaged(index, err) : status;
}

enum trawl_status trawl_register_within(struct trawl_index *index, uint64_t lane, uint64_t after,
                                        uint64_t until, uint64_t offset, size_t size_bytes,
                                        uint64_t low, uint64_t high, uint64_t *event,
                                        struct trawl_error *error)
{
    struct error why, *err = &why;
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    const bool is_cell = size_bytes && size_bytes <= 8 - offset % 8;
    const unsigned wanted = is_cell ? (unsigned)bits_up_to(size_bytes - 1) << offset % 8 : 0;
    uint64_t row;
    until = u64_min(until, index->identity[IDENTITY_EVENTS]);
    for (uint64_t next = after + 1; is_cell && next < until;) { // TRAWL_START + 1 is 0
        const uint64_t number = next / per_segment, start = number * per_segment;
        enum status status = next_in_segment(index, number, lane, offset / 8, wanted, next - start,
                                             low, high, &row, err);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        next = start + (row == UINT64_MAX ? index_segment_events(index, number) : row + 1);
        if (row == UINT64_MAX || next > until)
            continue;
        // Other writes of the event, and earlier ones of other bytes, decide as well.
        uint8_t bytes[8] = {0}, known[8];
        enum trawl_status read =
            trawl_registers(index, lane, next - 1, offset, size_bytes, bytes, known, error);
        if (read != TRAWL_OK)
            return read;
        const uint64_t value = load_uint(bytes, size_bytes, false);
        if (memchr(known, 0, size_bytes) || (value >= low && value <= high)) {
            *event = next - 1;
            return TRAWL_OK;
        }
    }
    return errors_give(error, &why,
                       error_set(err, STATUS_NOT_FOUND, "%s: no such value", index->path));
}
