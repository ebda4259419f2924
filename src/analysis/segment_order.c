#include "analysis/segment_order.h"

#include "base/limits.h"

#include <stdlib.h>

// Records of one kind.
struct records_view {
    void *items;
    size_t count, item_bytes;
    uint32_t (*event_of)(const void *item);
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

static uint32_t event_of(const struct records_view *view, size_t i)
{
    return view->event_of((const char *)view->items + i * view->item_bytes);
}

static bool is_in_order(const struct records_view *view)
{
    for (size_t i = 1; i < view->count; i++) {
        if (event_of(view, i - 1) > event_of(view, i))
            return false;
    }
    return true;
}

// By counting, as there are about as many events as records.
static bool sort_by_event(const struct records_view *view, uint32_t event_count)
{
    if (is_in_order(view))
        return true;
    size_t *starts = calloc((size_t)event_count + 1, sizeof *starts);
    char *sorted = malloc(view->count * view->item_bytes);
    bool has_memory = starts && sorted;
    if (has_memory) {
        for (size_t i = 0; i < view->count; i++)
            starts[event_of(view, i) + 1]++;
        for (size_t i = 1; i <= event_count; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < view->count; i++)
            memcpy(sorted + starts[event_of(view, i)]++ * view->item_bytes,
                   (const char *)view->items + i * view->item_bytes, view->item_bytes);
        memcpy(view->items, sorted, view->count * view->item_bytes);
    }
    free(starts);
    free(sorted);
    return has_memory;
}

static void give_accesses_to_own_events(struct segment *segment)
{
    uint32_t latest[LIMIT_LANES]; // event of each lane; UINT32_MAX: none yet
    memset(latest, 0xff, sizeof latest);
    size_t at = 0;
    for (uint32_t event = 0; event < segment->event_count; event++) {
        latest[segment->events.lane[event]] = event;
        for (; at < segment->accesses.count && segment->accesses.items[at].event == event; at++) {
            struct segment_access *access = &segment->accesses.items[at];
            if (latest[access->lane] != UINT32_MAX)
                access->event = latest[access->lane];
        }
    }
}

bool segment_order_registers(struct segment *segment)
{
    const struct records_view registers = {segment->registers.items, segment->registers.count,
                                           sizeof *segment->registers.items, event_of_register};
    return sort_by_event(&registers, segment->event_count);
}

bool segment_order(struct segment *segment)
{
    const struct records_view accesses = {segment->accesses.items, segment->accesses.count,
                                          sizeof *segment->accesses.items, event_of_access};
    const struct records_view instructions = {
        segment->instructions.items, segment->instructions.count,
        sizeof *segment->instructions.items, event_of_instruction};
    give_accesses_to_own_events(segment);
    return segment_order_registers(segment) && sort_by_event(&accesses, segment->event_count) &&
           sort_by_event(&instructions, segment->event_count);
}
