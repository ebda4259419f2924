#include "trace/tarmac/lane_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 64

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
    return (size_t)(hash % table->slot_count);
}

static void add(struct lane_table *table, const struct lane_items *items, size_t number)
{
    const char *name = name_of(items, number);
    size_t slot = slot_of(table, name, strlen(name));
    while (table->slots[slot])
        slot = (slot + 1) % table->slot_count;
    table->slots[slot] = (uint32_t)(number + 1);
}

// At least two slots for each item. False: no memory.
static bool make_slots(struct lane_table *table, size_t item_count)
{
    size_t wanted = table->slot_count ? table->slot_count : SLOTS_MIN;
    while (wanted < 2 * item_count)
        wanted *= 2;
    if (wanted == table->slot_count)
        return true;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    table->count = 0; // all items must be added again
    return true;
}

// False: no memory.
static bool take_new_items(struct lane_table *table, const struct lane_items *items)
{
    bool is_other = !table->count;
    if (!make_slots(table, items->count))
        return false;
    if (is_other) {
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
        table->seed = hash_seed_new();
    }
    while (table->count < items->count)
        add(table, items, table->count++);
    return true;
}

static size_t look_through(const struct lane_items *items, const char *name, size_t length)
{
    for (size_t i = 0; i < items->count; i++) {
        if (is_called(items, i, name, length))
            return i;
    }
    return SIZE_MAX;
}

size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    if (items->count <= LANES_LOOKED_THROUGH || !take_new_items(table, items))
        return look_through(items, name, length);
    for (size_t slot = slot_of(table, name, length); table->slots[slot];
         slot = (slot + 1) % table->slot_count) {
        if (is_called(items, table->slots[slot] - 1, name, length))
            return table->slots[slot] - 1;
    }
    return SIZE_MAX;
}

void lane_table_free(struct lane_table *table)
{
    free(table->slots);
    *table = (struct lane_table){0};
}
