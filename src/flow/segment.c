#include "flow/segment.h"

#include <stdlib.h>

static void *renewed(void *column, size_t size_bytes)
{
    free(column);
    return malloc(size_bytes);
}

bool segment_reserve(struct segment *segment, uint32_t event_count)
{
    struct segment_events *events = &segment->events;
    uint64_t **const wide[] = {&events->time, &events->line, &events->position, &events->pc,
                               &events->instruction_position};
    if (events->capacity >= event_count)
        return true;
    events->capacity = 0;
    for (size_t i = 0; i < ARRAY_COUNT(wide); i++) {
        if (!(*wide[i] = renewed(*wide[i], event_count * sizeof(uint64_t))))
            return false;
    }
    events->flags = renewed(events->flags, event_count * sizeof *events->flags);
    events->lane = renewed(events->lane, event_count * sizeof *events->lane);
    if (!events->flags || !events->lane)
        return false;
    events->capacity = event_count;
    return true;
}

void segment_empty(struct segment *segment)
{
    segment->registers.count = segment->accesses.count = segment->late.count = 0;
    segment->instructions.count = segment->origins.count = segment->modes.count = 0;
    segment->regimes.count = segment->exceptions.count = 0;
}

void segment_free(struct segment *segment)
{
    struct segment_events *events = &segment->events;
    free(events->time);
    free(events->line);
    free(events->position);
    free(events->pc);
    free(events->instruction_position);
    free(events->flags);
    free(events->lane);
    free(segment->registers.items);
    free(segment->accesses.items);
    free(segment->regimes.items);
    free(segment->exceptions.items);
    free(segment->late.items);
    free(segment->origins.items);
    free(segment->modes.items);
    free(segment->instructions.items);
    *segment = (struct segment){0};
}
