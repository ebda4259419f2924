#include "trace/tarmac/lane_table.h"

#include <string.h>

_Static_assert(LIMIT_LANES <= UINT16_MAX - 1, "a slot has the number of any lane");

static const char *name_of(const struct lane_items *items, size_t number)
{
    return (const char *)items->first + number * items->item_bytes;
}

static bool is_called(const struct lane_items *items, size_t number, const char *name,
                      size_t length)
{
    const char *own = name_of(items, number);
    return (!length || memcmp(own, name, length) == 0) && own[length] == '\0';
}

static size_t slot_of(const struct lane_table *table, const char *name, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = hash_keys(&table->seed, hash, (unsigned char)name[i]);
    return (size_t)(hash % ARRAY_COUNT(table->slots));
}

static void add(struct lane_table *table, const struct lane_items *items, size_t number)
{
    const char *name = name_of(items, number);
    size_t slot = slot_of(table, name, strlen(name));
    while (table->slots[slot])
        slot = (slot + 1) % ARRAY_COUNT(table->slots);
    table->slots[slot] = (uint16_t)(number + 1);
}

static void take_new_items(struct lane_table *table, const struct lane_items *items)
{
    if (!table->count) {
        memset(table->slots, 0, sizeof table->slots);
        table->seed = hash_seed_new();
    }
    while (table->count < items->count)
        add(table, items, table->count++);
}

size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    if (items->count <= LANES_LOOKED_THROUGH) {
        for (size_t i = 0; i < items->count; i++) {
            if (is_called(items, i, name, length))
                return i;
        }
        return SIZE_MAX;
    }
    take_new_items(table, items);
    for (size_t slot = slot_of(table, name, length); table->slots[slot];
         slot = (slot + 1) % ARRAY_COUNT(table->slots)) {
        if (is_called(items, table->slots[slot] - 1u, name, length))
            return table->slots[slot] - 1u;
    }
    return SIZE_MAX;
}
