// What a byte holds changes only where a record touches it (FORMAT.md, Memory). So the values of a
// place are those of its records, one after the other, beginning with what it held before the
// first; and only what a segment alone cannot tell is looked up: what the bytes hold before their
// first record, and whether they still hold it after their last one, as a load in a later segment
// may contradict. Bytes after a store of an unknown value, or after a change from outside, are left
// to the caller.
#include "idx/memory_series.h"

#include "idx/memory_rows.h"

enum { AT_ONCE = 256 };

static bool add(struct memory_series *series, uint64_t event, uint64_t value, unsigned known)
{
    if (!VEC_ROOM(&series->rows, 1))
        return false;
    series->rows.items[series->rows.count++] =
        (struct memory_value){event, value, (uint8_t)known, false};
    return true;
}

// What the place holds, as a lookup has it. `shift`: of the place in its word, as everywhere here.
static enum status look_up(struct trawl_index *index, uint64_t event, uint64_t address,
                           size_t size_bytes, struct memory_value *found, struct error *err)
{
    uint8_t values[8] = {0}, known[8] = {0};
    enum status status =
        index_memory(index, event, UINT64_MAX, address, size_bytes, values, known, err);
    *found = (struct memory_value){.event = event};
    for (size_t i = 0; i < size_bytes; i++) {
        found->value |= (uint64_t)values[i] << 8 * i;
        found->known |= (uint8_t)((known[i] != 0) << i);
    }
    return status;
}

// Adds a row for each event at which a record touches the place. `last` gets the event of the last
// record of each byte; TRAWL_NONE stays where there is none.
static enum status take_records(const struct memory_rows *records, uint64_t address, uint8_t all,
                                struct memory_series *series, uint64_t last[8], struct error *err)
{
    const unsigned shift = (unsigned)(address % 8);
    struct memory_value now = series->rows.items[0];
    for (uint64_t at = records->from[0]; at < records->from[1]; at += AT_ONCE) {
        uint64_t events[AT_ONCE], kinds[AT_ONCE], values[AT_ONCE];
        const size_t here = (size_t)u64_min(records->from[1] - at, AT_ONCE);
        if (!column_read(records->events, at, here, events) ||
            !column_read(records->kinds, at, here, kinds) ||
            !column_read(records->values, at, here, values))
            return index_damaged(records->index, "memory of a segment", err);
        for (size_t i = 0; i < here; i++) {
            const uint8_t mask = (uint8_t)((kinds[i] & 0xff) >> shift & all);
            if (!mask)
                continue;
            const uint64_t event = records->first_event + events[i];
            if (events[i] >= records->event_count || event < now.event)
                return index_damaged(records->index, "memory of a segment", err);
            const uint64_t bytes = bytes_of_mask(mask);
            const uint64_t value = values[i] << mask_shift((uint8_t)kinds[i]) >> 8 * shift;
            if ((kinds[i] & MEMORY_KIND) == MEMORY_STORE_UNKNOWN) {
                now.known &= (uint8_t)~mask;
                now.value &= ~bytes;
            } else {
                now.known |= mask;
                now.value = (now.value & ~bytes) | (value & bytes);
            }
            now.event = event;
            for (unsigned left = mask; left; left &= left - 1)
                last[__builtin_ctz(left)] = event;
            if (series->rows.items[series->rows.count - 1].event == event)
                series->rows.items[series->rows.count - 1] = now;
            else if (!add(series, event, now.value, now.known))
                return index_no_memory(records->index, err);
        }
    }
    return STATUS_OK;
}

// Puts byte `i` of `end`, which it is at the last event of the segment, into all rows after event
// `last`, of which there is one for the event that follows.
static bool take_end(struct memory_series *series, const struct memory_value *end, unsigned i,
                     uint64_t last)
{
    const uint64_t byte = UINT64_C(0xff) << 8 * i;
    size_t row;
    PARTITION_POINT(row, series->rows.count, series->rows.items[middle].event <= last);
    if (row == series->rows.count || series->rows.items[row].event > last + 1) {
        const struct memory_value before = series->rows.items[row - 1];
        if (!add(series, 0, 0, 0))
            return false;
        memmove(series->rows.items + row + 1, series->rows.items + row,
                (series->rows.count - 1 - row) * sizeof before);
        series->rows.items[row] =
            (struct memory_value){last + 1, before.value, before.known, false};
    }
    for (; row < series->rows.count; row++) {
        struct memory_value *to = &series->rows.items[row];
        to->value = (to->value & ~byte) | (end->value & byte);
        to->known = (uint8_t)((to->known & ~(1u << i)) | (end->known & 1u << i));
    }
    return true;
}

enum status index_memory_series(struct trawl_index *index, uint64_t segment, uint64_t address,
                                size_t size_bytes, size_t rows_max, struct memory_series *series,
                                struct error *err)
{
    const uint64_t word = address / 8;
    const uint8_t all = (uint8_t)(0xff >> (8 - size_bytes));
    uint64_t last[8] = {TRAWL_NONE, TRAWL_NONE, TRAWL_NONE, TRAWL_NONE,
                        TRAWL_NONE, TRAWL_NONE, TRAWL_NONE, TRAWL_NONE};
    struct memory_value edge;
    struct memory_rows records;
    series->rows.count = 0;
    if (address % 8 + size_bytes > 8 || index->has_places || index->has_snapshots ||
        index->only_stores_count || index_has_regions(index, word * 8, word * 8 + 7))
        return error_set(err, STATUS_LIMIT, "%s: no series", index->path);
    // Where a record is at the first event, its bytes are those of the record. A lookup can close
    // the columns of the segment, so the records come after it.
    enum status status = look_up(index, segment * index->identity[IDENTITY_SEGMENT_EVENTS], address,
                                 size_bytes, &edge, err);
    if (status == STATUS_OK && !add(series, edge.event, edge.value, edge.known))
        status = index_no_memory(index, err);
    if (status == STATUS_OK)
        status = memory_rows_find(index, segment, word, word, &records, err);
    if (status == STATUS_OK)
        status = memory_rows_next(&records, err);
    if (status != STATUS_OK || !records.count)
        return status;
    if (records.from[1] - records.from[0] > rows_max)
        return error_set(err, STATUS_LIMIT, "%s: no series", index->path);
    status = take_records(&records, address, all, series, last, err);
    const uint64_t last_event = records.first_event + records.event_count - 1;
    if (status == STATUS_OK)
        status = look_up(index, last_event, address, size_bytes, &edge, err);
    if (status != STATUS_OK)
        return status;
    const struct memory_value end = series->rows.items[series->rows.count - 1];
    const uint64_t differ = (end.value ^ edge.value) | bytes_of_mask(end.known ^ edge.known);
    for (unsigned i = 0; i < size_bytes; i++) {
        if ((differ >> 8 * i & 0xff) && last[i] < last_event &&
            !take_end(series, &edge, i, last[i]))
            return index_no_memory(index, err);
    }
    return STATUS_OK;
}
