#include "dataflow/reach.h"

#include "dataflow/spread.h"

#include <stdlib.h>

struct memory_cell {
    uint64_t cell, to_place;
    uint8_t mask; // bytes that have the value; 0: none any more
};

// Memory that has the value.
struct reach_walk {
    struct reach *reach;
    struct spread_rules rules;
    VEC(, struct memory_cell) memory;
    struct hash_index by_cell;
};

static struct memory_cell *find_memory(struct reach_walk *walk, uint64_t cell, bool adds)
{
    uint64_t hash = hash_key(hash_index_seed(&walk->by_cell), cell);
    uint32_t found;
    HASH_INDEX_FIND(found, &walk->by_cell, hash, walk->memory.items[candidate].cell == cell);
    if (found != HASH_INDEX_NONE)
        return &walk->memory.items[found];
    if (!adds || walk->memory.count >= UINT32_MAX - 1 || !VEC_ROOM(&walk->memory, 1) ||
        !hash_index_add(&walk->by_cell, hash, (uint32_t)walk->memory.count))
        return NULL;
    walk->memory.items[walk->memory.count] = (struct memory_cell){.cell = cell};
    return &walk->memory.items[walk->memory.count++];
}

static unsigned memory_having(void *self, const struct dataflow_bytes *bytes)
{
    struct reach_walk *walk = self;
    const struct memory_cell *cell =
        walk->rules.memory_count ? find_memory(walk, bytes->cell, false) : NULL;
    return cell ? cell->mask & bytes->mask : 0u;
}

static bool memory_change(void *self, const struct dataflow_bytes *bytes, bool has)
{
    struct reach_walk *walk = self;
    struct memory_cell *cell = find_memory(walk, bytes->cell, has);
    if (!cell)
        return !has;
    bool had = cell->mask;
    cell->to_place = has ? bytes->to_place : cell->to_place;
    cell->mask = has ? cell->mask | (uint8_t)bytes->mask : cell->mask & (uint8_t)~bytes->mask;
    walk->rules.memory_count += (uint64_t)(cell->mask != 0) - had;
    return true;
}

static enum status reached(void *self, const struct dataflow_step *step,
                           const struct slice_event *event, struct error *err)
{
    struct reach_walk *walk = self;
    struct reach *reach = walk->reach;
    (void)step;
    if (!VEC_ROOM(&reach->events, 1))
        return error_set(err, STATUS_MEMORY, "no memory to follow the value");
    reach->events.items[reach->events.count++] = *event;
    walk->rules.is_ended = reach->events.count >= reach->limit;
    return STATUS_OK;
}

static bool add_left(void *self, const struct dataflow_bytes *bytes)
{
    struct reach *reach = self;
    if (reach->left_count < REACH_PLACES)
        reach->left[reach->left_count] = *bytes;
    reach->left_count++;
    return true;
}

enum status reach_find(struct reach *reach, uint64_t event, const struct dataflow_bytes *targets,
                       size_t count, struct error *err)
{
    struct reach_walk walk = {.reach = reach,
                              .rules = {.self = &walk,
                                        .with_addresses = reach->with_addresses,
                                        .memory_having = memory_having,
                                        .memory_change = memory_change,
                                        .reached = reached}};
    struct spread *spread;
    enum status status = spread_open(&spread, reach->flow, event, &walk.rules, err);
    if (status == STATUS_OK)
        status = spread_begin(spread, targets, count, err);
    if (status == STATUS_OK)
        status = spread_all(spread, &reach->is_cut, err);
    if (status == STATUS_OK) {
        reach->unknown = spread_unknown(spread);
        spread_left(spread, add_left, reach);
        for (size_t i = 0; i < walk.memory.count; i++) {
            const struct memory_cell *cell = &walk.memory.items[i];
            if (cell->mask)
                add_left(reach, &(struct dataflow_bytes){cell->cell, cell->to_place, 0, DATA_MEMORY,
                                                         cell->mask});
        }
    }
    spread_free(spread);
    free(walk.memory.items);
    hash_index_free(&walk.by_cell);
    return status;
}

void reach_free(struct reach *reach)
{
    free(reach->events.items);
}
