#include "flow/segment.h"

#include <stdlib.h>

bool segment_reserve(struct segment *segment, uint32_t event_count)
{
    struct segment_events *events = &segment->events;
    uint64_t **const wide[] = {&events->time, &events->line, &events->position, &events->pc,
                               &events->instruction_position};
    uint8_t **const narrow[] = {&events->flags, &events->lane};
    if (events->capacity >= event_count)
        return true;
    for (size_t i = 0; i < ARRAY_COUNT(wide); i++) {
        free(*wide[i]);
        if (!(*wide[i] = malloc(event_count * sizeof(uint64_t))))
            return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(narrow); i++) {
        free(*narrow[i]);
        if (!(*narrow[i] = malloc(event_count)))
            return false;
    }
    events->capacity = event_count;
    return true;
}

void segment_empty(struct segment *segment)
{
    segment->registers.count = segment->accesses.count = segment->late.count = 0;
    segment->instructions.count = 0;
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
    free(segment->late.items);
    free(segment->instructions.items);
    *segment = (struct segment){0};
}
