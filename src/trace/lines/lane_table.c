#include "trace/lines/lane_table.h"

#include <stdlib.h>
#include <string.h>

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

static uint64_t hash_of(const struct lane_table *table, const char *name, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = hash_keys(&table->numbers.seed, hash, (unsigned char)name[i]);
    return hash;
}

size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    bool has_all = items->count > LANES_LOOKED_THROUGH;
    if (has_all && !table->numbers.count)
        hash_index_seed(&table->numbers);
    while (has_all && table->numbers.count < items->count) {
        size_t number = table->numbers.count;
        const char *own = name_of(items, number);
        has_all =
            hash_index_add(&table->numbers, hash_of(table, own, strlen(own)), (uint32_t)number);
    }
    if (has_all) {
        uint32_t found;
        HASH_INDEX_FIND(found, &table->numbers, hash_of(table, name, length),
                        is_called(items, candidate, name, length));
        return found == HASH_INDEX_NONE ? SIZE_MAX : found;
    }
    for (size_t i = 0; i < items->count; i++) {
        if (is_called(items, i, name, length))
            return i;
    }
    return SIZE_MAX;
}

void lane_table_clear(struct lane_table *table)
{
    hash_index_clear(&table->numbers);
}

void lane_table_free(struct lane_table *table)
{
    hash_index_free(&table->numbers);
    *table = (struct lane_table){0};
}
