#include "trace/xray/match.h"

#include <stdlib.h>

enum { SLOTS_MIN = 64 };

// The slot of a function, or a free one, which always exists.
static struct open_function *slot_of(const struct open_functions *open, uint32_t function)
{
    size_t mask = open->slot_count - 1;
    size_t at = (size_t)hash_key(&open->seed, function) & mask;
    while (open->slots[at].is_used && open->slots[at].function != function)
        at = (at + 1) & mask;
    return &open->slots[at];
}

// Makes room for one more function.
static bool grow(struct open_functions *open)
{
    struct open_functions grown = *open;
    if (2 * (open->used_count + 1) <= open->slot_count)
        return true;
    grown.slot_count = open->slot_count ? 2 * open->slot_count : SLOTS_MIN;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    if (!open->slot_count)
        grown.seed = hash_seed_new();
    for (size_t i = 0; i < open->slot_count; i++) {
        if (open->slots[i].is_used)
            *slot_of(&grown, open->slots[i].function) = open->slots[i];
    }
    free(open->slots);
    *open = grown;
    return true;
}

static bool count(struct open_functions *open, uint32_t function)
{
    if (!grow(open))
        return false;
    struct open_function *slot = slot_of(open, function);
    open->used_count += !slot->is_used;
    *slot = (struct open_function){function, slot->count + 1, true};
    return true;
}

static uint32_t function_at(const uint32_t *functions, size_t stride_bytes, size_t at)
{
    return *(const uint32_t *)(const void *)((const char *)functions + at * stride_bytes);
}

size_t open_functions_find(struct open_functions *open, const uint32_t *functions,
                           size_t stride_bytes, size_t depth, uint32_t function)
{
    for (; open->counted < depth; open->counted++) {
        open->lacks_memory |= !count(open, function_at(functions, stride_bytes, open->counted));
        if (open->lacks_memory)
            return 0;
    }
    if (!depth || !slot_of(open, function)->count)
        return 0;
    while (function_at(functions, stride_bytes, depth - 1) != function)
        depth--;
    return depth;
}

void open_functions_uncount(struct open_functions *open, uint32_t function)
{
    slot_of(open, function)->count--;
}

void open_functions_free(struct open_functions *open)
{
    free(open->slots);
    *open = (struct open_functions){0};
}
