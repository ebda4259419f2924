// Memory accesses in blocks, in the order of events. A segment has them in the order of their
// words, so those of the current segment are sorted once.
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
    free(order->firsts);
    free(order->records);
    *order = (struct access_order){.segment = UINT64_MAX};
}

// --- Sorting -------------------------------------------------------------------------------------

// Counts the records of each event, at the index of the next event.
static bool count_records(const struct column *events, uint64_t event_count, uint32_t *firsts)
{
    uint64_t rows[COLUMN_BLOCK];
    for (uint64_t from = 0; from < events->count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(events->count - from, COLUMN_BLOCK);
        if (!column_read(events, from, here, rows))
            return false;
        for (size_t i = 0; i < here; i++) {
            if (rows[i] >= event_count)
                return false;
            firsts[rows[i] + 1]++;
        }
    }
    return true;
}

// The words of a segment, with the first record of each.
struct word_table {
    uint64_t *words, *starts;
    size_t count;
};

static enum status read_words(struct trawl_index *index, struct segment_view *view,
                              struct word_table *table, struct error *err)
{
    const struct column *words = segment_column(index, view, PART_MEMORY_WORDS, err);
    const struct column *starts =
        words ? segment_column(index, view, PART_MEMORY_STARTS, err) : NULL;
    if (!starts)
        return STATUS_DAMAGED;
    if (words->count != starts->count || words->count > LIMIT_SEGMENT_RECORDS)
        return damaged(index, err);
    table->count = (size_t)words->count;
    table->words = malloc((table->count + 1) * sizeof *table->words);
    table->starts = malloc((table->count + 1) * sizeof *table->starts);
    if (!table->words || !table->starts)
        return index_no_memory(index, err);
    return column_read(words, 0, table->count, table->words) &&
                   column_read(starts, 0, table->count, table->starts)
               ? STATUS_OK
               : damaged(index, err);
}

// Puts each record at the place firsts[event], which is then incremented. So afterwards
// firsts[event] is the end of the event's records. There may be more records than were counted: the
// file may have changed since.
static bool place_records(const struct column *events, const struct column *kinds,
                          const struct word_table *table, uint64_t event_count,
                          struct access_order *order)
{
    uint64_t rows[COLUMN_BLOCK], bits[COLUMN_BLOCK];
    size_t word = 0;
    for (uint64_t from = 0; from < events->count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(events->count - from, COLUMN_BLOCK);
        if (!column_read(events, from, here, rows) || !column_read(kinds, from, here, bits) ||
            !table->count || table->starts[0])
            return false;
        for (size_t i = 0; i < here; i++) {
            const uint64_t record = from + i;
            if (rows[i] >= event_count)
                return false;
            while (word + 1 < table->count && table->starts[word + 1] <= record)
                word++;
            const uint32_t place = order->firsts[rows[i]]++;
            if (place >= events->count)
                return false;
            order->records[place] = (struct access_record){
                .word = table->words[word], .record = (uint32_t)record, .kind = (uint32_t)bits[i]};
        }
    }
    return true;
}

static enum status sort_records(struct trawl_index *index, struct segment_view *view,
                                struct access_order *order, struct error *err)
{
    const struct column *events = segment_column(index, view, PART_MEMORY_EVENTS, err);
    const struct column *kinds =
        events ? segment_column(index, view, PART_MEMORY_KINDS, err) : NULL;
    const uint64_t event_count = index_segment_events(index, view->number);
    struct word_table table = {0};
    if (!kinds)
        return STATUS_DAMAGED;
    if (events->count > LIMIT_SEGMENT_RECORDS)
        return damaged(index, err);
    order->firsts = calloc((size_t)event_count + 2, sizeof *order->firsts);
    order->records = malloc(((size_t)events->count + 1) * sizeof *order->records);
    if (!order->firsts || !order->records)
        return index_no_memory(index, err);
    if (!count_records(events, event_count, order->firsts))
        return damaged(index, err);
    for (uint64_t event = 0; event < event_count; event++)
        order->firsts[event + 1] += order->firsts[event];
    enum status status = read_words(index, view, &table, err);
    if (status == STATUS_OK && !place_records(events, kinds, &table, event_count, order))
        status = damaged(index, err);
    free(table.words);
    free(table.starts);
    order->segment = status == STATUS_OK ? view->number : UINT64_MAX;
    return status;
}

// Sorts the records of a segment, unless they are already in index->accesses.
static enum status order_of(struct trawl_index *index, struct segment_view *view, struct error *err)
{
    struct access_order *order = &index->accesses;
    if (order->segment == view->number)
        return STATUS_OK;
    access_order_free(order);
    enum status status = sort_records(index, view, order, err);
    if (status != STATUS_OK)
        access_order_free(order);
    return status;
}

// The first record of an event: the end of the records of the event before it.
static uint32_t first_of(const struct access_order *order, uint64_t row)
{
    return row ? order->firsts[row - 1] : 0;
}

// --- Reading -------------------------------------------------------------------------------------

struct reading {
    struct trawl_index *index;
    struct segment_view *view;
    const struct column *values; // NULL: not wanted
    struct trawl_access_columns columns;
    size_t done;
};

static enum status open_segment(struct reading *reading, uint64_t segment, struct error *err)
{
    struct trawl_index *index = reading->index;
    struct segment_view *view = index_segment(index, segment, err);
    enum status status = view ? order_of(index, view, err) : STATUS_DAMAGED;
    reading->view = view;
    if (status == STATUS_OK && reading->columns.value &&
        !(reading->values = segment_column(index, view, PART_MEMORY_VALUES, err)))
        return STATUS_DAMAGED;
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

static bool put_record(struct reading *reading, uint64_t event, const struct access_record *record)
{
    const struct trawl_access_columns *columns = &reading->columns;
    const uint64_t word = record->word, kind = record->kind;
    uint64_t value = 0;
    if (word > UINT64_MAX / 8 || !(kind & 0xff) ||
        (reading->values && !column_get(reading->values, record->record, &value)))
        return false;
    if (kind & MEMORY_OUTSIDE && (kind & MEMORY_KIND) == MEMORY_STORE_UNKNOWN)
        return true; // no access
    unsigned first = (unsigned)__builtin_ctzll(kind & 0xff);
    uint64_t mask = (kind & 0xff) >> first;
    put(reading, columns->event, event);
    struct error ignored;
    uint64_t address;
    if (index_address(reading->index, event, 8 * word + first, &address, &ignored) != STATUS_OK)
        return false;
    put(reading, columns->address, address);
    put(reading, columns->size_bytes, 64 - (uint64_t)__builtin_clzll(mask));
    put(reading, columns->mask, mask);
    put(reading, columns->value, value & bytes_of_mask((uint8_t)mask));
    put(reading, columns->kind, kind_of(kind));
    reading->done++;
    return true;
}

// Writes the records of an event from *number on, as long as there is room.
static bool put_event(struct reading *reading, uint64_t event, uint64_t row, uint64_t *number,
                      size_t capacity)
{
    const struct access_order *order = &reading->index->accesses;
    uint32_t first = first_of(order, row), end = order->firsts[row];
    if (end < first)
        return false;
    for (; *number < end - first && reading->done < capacity; ++*number) {
        if (!put_record(reading, event, &order->records[first + *number]))
            return false;
    }
    return true;
}

enum trawl_status trawl_accesses_(struct trawl_index *index, struct trawl_access_cursor *place,
                                  uint64_t until, size_t capacity,
                                  const struct trawl_access_columns *columns, size_t columns_bytes,
                                  size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    struct reading reading = {.index = index};
    caller_take(&reading.columns, sizeof reading.columns, columns, columns_bytes);
    until = u64_min(until, index->identity[IDENTITY_EVENTS]);
    *count = 0;
    while (place->event < until && reading.done < capacity) {
        uint64_t segment = place->event / per_segment, row = place->event % per_segment;
        if (!reading.view || reading.view->number != segment) {
            enum status status = open_segment(&reading, segment, err);
            if (status != STATUS_OK)
                return errors_give(error, &why, status);
        }
        // Most events have none.
        const uint32_t *firsts = index->accesses.firsts;
        const uint64_t last = u64_min(per_segment - 1, until - 1 - segment * per_segment);
        while (row < last && firsts[row] == first_of(&index->accesses, row))
            row++;
        if (segment * per_segment + row != place->event)
            *place = (struct trawl_access_cursor){segment * per_segment + row, 0};
        if (!put_event(&reading, place->event, row, &place->number, capacity))
            return errors_give(error, &why, damaged(index, err));
        *count = reading.done;
        if (reading.done < capacity ||
            place->number >= index->accesses.firsts[row] - first_of(&index->accesses, row))
            *place = (struct trawl_access_cursor){place->event + 1, 0};
    }
    return TRAWL_OK;
}
