#include "query/segment_order.h"

#include <stdlib.h>

// A key of a record, below `key_count`.
typedef uint32_t key_of(const void *item);

// Records of one kind.
struct records_view {
    void *items;
    size_t count, item_bytes;
    key_of *event_of;
    key_of *minor_of; // the order within an event; NULL: unchanged
};

static uint32_t event_of_register(const void *item)
{
    return ((const struct segment_register *)item)->event;
}

static uint32_t event_of_access(const void *item)
{
    return ((const struct segment_access *)item)->event;
}

static uint32_t event_of_instruction(const void *item)
{
    return ((const struct segment_instruction *)item)->event;
}

// By lane, and registers that the trace names after the others: otherwise their order would depend
// on where chunks end.
static uint32_t minor_of_register(const void *item)
{
    const struct segment_register *row = item;
    return 2 * row->lane + (register_cell(row->cell) >= REGISTER_CELLS);
}

static uint32_t minor_of_instruction(const void *item)
{
    return ((const struct segment_instruction *)item)->lane;
}

static uint32_t key(const struct records_view *view, key_of *of, size_t i)
{
    return of((const char *)view->items + i * view->item_bytes);
}

static bool is_in_order(const struct records_view *view)
{
    for (size_t i = 1; i < view->count; i++) {
        uint32_t before = key(view, view->event_of, i - 1), event = key(view, view->event_of, i);
        if (before > event)
            return false;
        if (before == event && view->minor_of &&
            key(view, view->minor_of, i - 1) > key(view, view->minor_of, i))
            return false;
    }
    return true;
}

// A stable counting sort, as there are about as many keys as records.
static bool sort_by(const struct records_view *view, key_of *of, uint32_t key_count)
{
    size_t *starts = calloc((size_t)key_count + 1, sizeof *starts);
    char *sorted = malloc(view->count * view->item_bytes);
    bool has_memory = starts && sorted;
    if (has_memory) {
        for (size_t i = 0; i < view->count; i++)
            starts[key(view, of, i) + 1]++;
        for (size_t i = 1; i <= key_count; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < view->count; i++)
            memcpy(sorted + starts[key(view, of, i)]++ * view->item_bytes,
                   (const char *)view->items + i * view->item_bytes, view->item_bytes);
        memcpy(view->items, sorted, view->count * view->item_bytes);
    }
    free(starts);
    free(sorted);
    return has_memory;
}

static bool sort_by_event(const struct records_view *view, uint32_t event_count)
{
    if (is_in_order(view))
        return true;
    uint32_t minor_keys = 0; // one more than the greatest
    for (size_t i = 0; view->minor_of && i < view->count; i++)
        minor_keys = (uint32_t)u64_max(minor_keys, key(view, view->minor_of, i) + UINT64_C(1));
    return (!view->minor_of || sort_by(view, view->minor_of, minor_keys)) &&
           sort_by(view, view->event_of, event_count);
}

// One more than the last lane that has an event or an access.
static size_t lanes_of(const struct segment *segment)
{
    uint16_t last = 0;
    for (uint32_t event = 0; event < segment->event_count; event++)
        last = segment->events.lane[event] > last ? segment->events.lane[event] : last;
    for (size_t i = 0; i < segment->accesses.count; i++)
        last = segment->accesses.items[i].lane > last ? segment->accesses.items[i].lane : last;
    return (size_t)last + 1;
}

// False: no memory.
static bool give_accesses_to_own_events(struct segment *segment)
{
    size_t lanes = lanes_of(segment), at = 0;
    uint32_t *latest = malloc(lanes * sizeof *latest); // latest event of each lane; UINT32_MAX:
                                                       // none yet
    if (!latest)
        return false;
    memset(latest, 0xff, lanes * sizeof *latest);
    for (uint32_t event = 0; event < segment->event_count; event++) {
        latest[segment->events.lane[event]] = event;
        for (; at < segment->accesses.count && segment->accesses.items[at].event == event; at++) {
            struct segment_access *access = &segment->accesses.items[at];
            if (latest[access->lane] != UINT32_MAX)
                access->event = latest[access->lane];
        }
    }
    free(latest);
    return true;
}

bool segment_order_registers(struct segment *segment)
{
    const struct records_view registers = {segment->registers.items, segment->registers.count,
                                           sizeof *segment->registers.items, event_of_register,
                                           minor_of_register};
    return sort_by_event(&registers, segment->event_count);
}

bool segment_order(struct segment *segment)
{
    const struct records_view accesses = {segment->accesses.items, segment->accesses.count,
                                          sizeof *segment->accesses.items, event_of_access, NULL};
    const struct records_view instructions = {
        segment->instructions.items, segment->instructions.count,
        sizeof *segment->instructions.items, event_of_instruction, minor_of_instruction};
    return give_accesses_to_own_events(segment) && segment_order_registers(segment) &&
           sort_by_event(&accesses, segment->event_count) &&
           sort_by_event(&instructions, segment->event_count);
}
