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

// The records of a segment while they are sorted.
struct record_walk {
    struct access_order *order;
    const struct column *events;
    uint64_t event_count; // of the segment
};

// Passes on each record with its event, after checking that the segment has this event.
static ALWAYS_INLINE bool each_record(const struct record_walk *walk,
                                      bool (*take)(const struct record_walk *walk, uint64_t event,
                                                   uint64_t record))
{
    uint64_t events[COLUMN_BLOCK];
    for (uint64_t from = 0; from < walk->events->count; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(walk->events->count - from, COLUMN_BLOCK);
        if (!column_read(walk->events, from, here, events))
            return false;
        for (size_t i = 0; i < here; i++) {
            if (events[i] >= walk->event_count || !take(walk, events[i], from + i))
                return false;
        }
    }
    return true;
}

static ALWAYS_INLINE bool count_record(const struct record_walk *walk, uint64_t event,
                                       uint64_t record)
{
    (void)record;
    walk->order->firsts[event + 1]++;
    return true;
}

// There may be more records than were counted: the file may have changed since.
static ALWAYS_INLINE bool place_record(const struct record_walk *walk, uint64_t event,
                                       uint64_t record)
{
    uint32_t place = walk->order->firsts[event]++;
    if (place >= walk->events->count)
        return false;
    walk->order->records[place] = (uint32_t)record;
    return true;
}

static enum status sort_records(struct trawl_index *index, struct segment_view *view,
                                struct access_order *order, struct error *err)
{
    const struct column *events = segment_column(index, view, PART_MEMORY_EVENTS, err);
    if (!events)
        return STATUS_DAMAGED;
    if (events->count > LIMIT_SEGMENT_RECORDS)
        return damaged(index, err);
    const struct record_walk walk = {order, events, index_segment_events(index, view->number)};
    order->firsts = calloc((size_t)walk.event_count + 2, sizeof *order->firsts);
    order->records = calloc((size_t)events->count + 1, sizeof *order->records);
    if (!order->firsts || !order->records)
        return index_no_memory(index, err);
    // Counts the records of each event, at the index of the next event; sums of these are the
    // places.
    if (!each_record(&walk, count_record))
        return damaged(index, err);
    for (uint64_t event = 0; event < walk.event_count; event++)
        order->firsts[event + 1] += order->firsts[event];
    // Puts each record at the place firsts[event], which is then incremented. So afterwards
    // firsts[event] is the end of the event's records.
    if (!each_record(&walk, place_record))
        return damaged(index, err);
    order->segment = view->number;
    return STATUS_OK;
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
    const struct column *words, *starts, *kinds, *values;
    struct trawl_access_columns columns;
    size_t done;
};

static enum status open_segment(struct reading *reading, uint64_t segment, struct error *err)
{
    struct trawl_index *index = reading->index;
    struct segment_view *view = index_segment(index, segment, err);
    enum status status = view ? order_of(index, view, err) : STATUS_DAMAGED;
    reading->view = view;
    if (status != STATUS_OK ||
        !(reading->words = segment_column(index, view, PART_MEMORY_WORDS, err)) ||
        !(reading->starts = segment_column(index, view, PART_MEMORY_STARTS, err)) ||
        !(reading->kinds = segment_column(index, view, PART_MEMORY_KINDS, err)) ||
        !(reading->values = segment_column(index, view, PART_MEMORY_VALUES, err)))
        return status == STATUS_OK ? STATUS_DAMAGED : status;
    return STATUS_OK;
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

static bool put_record(struct reading *reading, uint64_t event, uint32_t record)
{
    const struct trawl_access_columns *columns = &reading->columns;
    uint64_t place, word, kind, value;
    if (!column_search(reading->starts, 0, reading->starts->count, record, &place) || !place ||
        !column_get(reading->words, place - 1, &word) || word > UINT64_MAX / 8 ||
        !column_get(reading->kinds, record, &kind) || !(kind & 0xff) ||
        !column_get(reading->values, record, &value))
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
        if (!put_record(reading, event, order->records[first + *number]))
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
        if (!put_event(&reading, place->event, row, &place->number, capacity))
            return errors_give(error, &why, damaged(index, err));
        *count = reading.done;
        if (reading.done < capacity ||
            place->number >= index->accesses.firsts[row] - first_of(&index->accesses, row))
            *place = (struct trawl_access_cursor){place->event + 1, 0};
    }
    return TRAWL_OK;
}
