// Memory accesses in blocks, in the order of events. A segment has them in the order of their
// words, and those of a word by event, so the records of the current segment are sorted once: by
// the digits of their rows, because there are fewer of them than events, each of which would have
// to be counted otherwise.
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/places.h"

#include <stdlib.h>

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "memory of a segment", err);
}

void access_order_free(struct access_order *order)
{
    free(order->keys.items);
    free(order->spare.items);
    free(order->ranks.items);
    free(order->words.items);
    free(order->values.items);
    *order = (struct access_order){.segment = UINT64_MAX};
}

// --- Sorting -------------------------------------------------------------------------------------

// A record as a number: its row, its number and its kind.
enum { KIND_BITS = 12, RECORD_BITS = 24, ROW_BITS = 24 };

_Static_assert(LIMIT_SEGMENT_RECORDS <= 1 << RECORD_BITS, "records have numbers");
_Static_assert(INDEX_SEGMENT_EVENTS_MAX <= 1 << ROW_BITS, "events have rows");

static ALWAYS_INLINE uint64_t row_of(uint64_t key)
{
    return key >> (RECORD_BITS + KIND_BITS);
}

static ALWAYS_INLINE size_t record_of(uint64_t key)
{
    return key >> KIND_BITS & ((1 << RECORD_BITS) - 1);
}

// Reads a whole column.
static enum status read_all(struct trawl_index *index, const struct column *column,
                            struct access_numbers *numbers, struct error *err)
{
    if (column->count > LIMIT_SEGMENT_RECORDS)
        return damaged(index, err);
    numbers->count = 0;
    if (!VEC_ROOM(numbers, (size_t)column->count))
        return index_no_memory(index, err);
    if (!column_read(column, 0, (size_t)column->count, numbers->items))
        return damaged(index, err);
    numbers->count = (size_t)column->count;
    return STATUS_OK;
}

// Tells the word of each record, by its rank.
static bool rank_records(struct access_order *order, const struct column *starts, size_t count)
{
    uint64_t firsts[COLUMN_BLOCK];
    size_t at = 0;
    for (uint64_t from = 0; from < starts->count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(starts->count - from, COLUMN_BLOCK);
        if (!column_read(starts, from, here, firsts))
            return false;
        for (size_t i = 0; i < here; i++) {
            if ((!from && !i && firsts[i]) || firsts[i] > count || firsts[i] < at)
                return false;
            while (at < firsts[i])
                order->ranks.items[at++] = (uint32_t)(from + i - 1);
        }
    }
    while (at < count)
        order->ranks.items[at++] = (uint32_t)starts->count - 1;
    return starts->count || !count;
}

// Makes the keys of all records, in their order.
static bool make_keys(struct access_order *order, const struct column *events,
                      const struct column *kinds, uint64_t event_count)
{
    uint64_t rows[COLUMN_BLOCK], bits[COLUMN_BLOCK], most = 0;
    for (uint64_t from = 0; from < events->count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(events->count - from, COLUMN_BLOCK);
        if (!column_read(events, from, here, rows) || !column_read(kinds, from, here, bits))
            return false;
        for (size_t i = 0; i < here; i++) {
            most = u64_max(most, rows[i]);
            order->keys.items[from + i] = rows[i] << (RECORD_BITS + KIND_BITS) |
                                          (from + i) << KIND_BITS |
                                          (bits[i] & ((1 << KIND_BITS) - 1));
        }
    }
    order->keys.count = (size_t)events->count;
    return most < event_count || !events->count;
}

// Sorts by rows below `end`; records of an event stay in their order.
static void sort_by_row(struct access_order *order, uint64_t end)
{
    enum { DIGIT = 8, DIGITS = 1 << DIGIT };
    const size_t count = order->keys.count;
    for (unsigned done = 0; (end - 1) >> done; done += DIGIT) {
        const unsigned shift = RECORD_BITS + KIND_BITS + done;
        const struct access_numbers from = order->keys;
        uint64_t *to = order->spare.items;
        uint32_t places[DIGITS] = {0}, before = 0;
        for (size_t i = 0; i < count; i++)
            places[from.items[i] >> shift & (DIGITS - 1)]++;
        for (size_t i = 0; i < DIGITS; i++) {
            const uint32_t here = places[i];
            places[i] = before;
            before += here;
        }
        for (size_t i = 0; i < count; i++)
            to[places[from.items[i] >> shift & (DIGITS - 1)]++] = from.items[i];
        order->keys = order->spare;
        order->keys.count = count;
        order->spare = from;
        order->spare.count = 0;
    }
}

static enum status sort_records(struct trawl_index *index, struct segment_view *view,
                                struct access_order *order, struct error *err)
{
    const struct column *starts = segment_column(index, view, PART_MEMORY_STARTS, err);
    const struct column *words =
        starts ? segment_column(index, view, PART_MEMORY_WORDS, err) : NULL;
    const struct column *events =
        words ? segment_column(index, view, PART_MEMORY_EVENTS, err) : NULL;
    const struct column *kinds =
        events ? segment_column(index, view, PART_MEMORY_KINDS, err) : NULL;
    if (!kinds)
        return STATUS_DAMAGED;
    if (words->count != starts->count || events->count > LIMIT_SEGMENT_RECORDS)
        return damaged(index, err);
    const uint64_t event_count = index_segment_events(index, view->number);
    const size_t count = (size_t)events->count;
    enum status status = read_all(index, words, &order->words, err);
    if (status != STATUS_OK)
        return status;
    order->keys.count = order->spare.count = order->ranks.count = order->values.count = 0;
    if (!VEC_ROOM(&order->keys, count) || !VEC_ROOM(&order->spare, count) ||
        !VEC_ROOM(&order->ranks, count))
        return index_no_memory(index, err);
    if (!make_keys(order, events, kinds, event_count) || !rank_records(order, starts, count))
        return damaged(index, err);
    sort_by_row(order, event_count);
    order->segment = view->number;
    return STATUS_OK;
}

// --- Reading -------------------------------------------------------------------------------------

struct reading {
    struct trawl_index *index;
    struct trawl_access_columns columns;
    bool are_addresses; // places
    size_t done;
};

// Has the records of a segment in index->accesses, sorted, and their values if they are wanted.
static enum status open_segment(const struct reading *reading, uint64_t segment, struct error *err)
{
    struct trawl_index *index = reading->index;
    struct access_order *order = &index->accesses;
    struct segment_view *view = index_segment(index, segment, err);
    if (!view)
        return STATUS_DAMAGED;
    enum status status = STATUS_OK;
    if (order->segment != segment) {
        order->segment = UINT64_MAX;
        status = sort_records(index, view, order, err);
    }
    if (status == STATUS_OK && reading->columns.value && order->values.count < order->keys.count) {
        const struct column *values = segment_column(index, view, PART_MEMORY_VALUES, err);
        if (!values)
            return STATUS_DAMAGED;
        status = read_all(index, values, &order->values, err);
        if (status == STATUS_OK && order->values.count != order->keys.count)
            status = damaged(index, err);
    }
    return status;
}

static void put(const struct reading *reading, uint64_t *column, uint64_t value)
{
    if (column)
        column[reading->done] = value;
}

static enum trawl_access_kind kind_of(uint64_t kind)
{
    return kind & MEMORY_OUTSIDE || (kind & MEMORY_KIND) == MEMORY_LOAD ? TRAWL_ACCESS_LOAD
           : (kind & MEMORY_KIND) == MEMORY_STORE_UNKNOWN               ? TRAWL_ACCESS_STORE_UNKNOWN
                                                                        : TRAWL_ACCESS_STORE;
}

static ALWAYS_INLINE bool put_record(struct reading *reading, const struct access_order *order,
                                     uint64_t first_event, uint64_t key)
{
    const struct trawl_access_columns *columns = &reading->columns;
    const uint64_t word = order->words.items[order->ranks.items[record_of(key)]];
    const uint64_t kind = key & ((1 << KIND_BITS) - 1), event = first_event + row_of(key);
    if (word > UINT64_MAX / 8 || !(kind & 0xff))
        return false;
    if (kind & MEMORY_OUTSIDE && (kind & MEMORY_KIND) == MEMORY_STORE_UNKNOWN)
        return true; // no access
    const unsigned first = (unsigned)__builtin_ctzll(kind & 0xff);
    const uint64_t mask = (kind & 0xff) >> first;
    uint64_t address = 8 * word + first;
    struct error ignored;
    if (!reading->are_addresses &&
        index_address(reading->index, event, address, &address, &ignored) != STATUS_OK)
        return false;
    put(reading, columns->event, event);
    put(reading, columns->address, address);
    put(reading, columns->size_bytes, 64 - (uint64_t)__builtin_clzll(mask));
    put(reading, columns->mask, mask);
    if (columns->value)
        columns->value[reading->done] =
            order->values.items[record_of(key)] & bytes_of_mask((uint8_t)mask);
    put(reading, columns->kind, kind_of(kind));
    reading->done++;
    return true;
}

// The first record at or after a row.
static size_t first_at(const struct access_order *order, uint64_t row)
{
    size_t at;
    PARTITION_POINT(at, order->keys.count, row_of(order->keys.items[middle]) < row);
    return at;
}

enum trawl_status trawl_accesses_(struct trawl_index *index, struct trawl_access_cursor *place,
                                  uint64_t until, size_t capacity,
                                  const struct trawl_access_columns *columns, size_t columns_bytes,
                                  size_t *count, struct trawl_error *error)
{
    struct error why;
    const struct access_order *order = &index->accesses;
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    struct reading reading = {
        .index = index, .are_addresses = !index->has_places || index->memory_view.is_physical};
    caller_take(&reading.columns, sizeof reading.columns, columns, columns_bytes);
    until = u64_min(until, index->identity[IDENTITY_EVENTS]);
    *count = 0;
    while (place->event < until && reading.done < capacity) {
        const uint64_t segment = place->event / per_segment, from = segment * per_segment;
        const enum status status = open_segment(&reading, segment, &why);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        const size_t end = first_at(order, u64_min(until - from, per_segment));
        const size_t first = first_at(order, place->event - from);
        const size_t next = first_at(order, place->event - from + 1);
        size_t at = first + (size_t)u64_min(place->number, next - first);
        for (; at < end && reading.done < capacity; at++) {
            if (!put_record(&reading, order, from, order->keys.items[at]))
                return errors_give(error, &why, damaged(index, &why));
        }
        *place = (struct trawl_access_cursor){u64_min(from + per_segment, until), 0};
        if (at < end) {
            const uint64_t row = row_of(order->keys.items[at]);
            *place = (struct trawl_access_cursor){from + row, at - first_at(order, row)};
        }
    }
    *count = reading.done;
    return TRAWL_OK;
}
