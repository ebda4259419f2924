// Finds a lane in a list by its name, with two lanes as fast as with thousands. The caller owns the
// list: its items begin with their names, and existing items do not change.
#ifndef TRAWL_TRACE_TARMAC_LANE_TABLE_H
#define TRAWL_TRACE_TARMAC_LANE_TABLE_H

#include "base/hash_seed.h"
#include "base/limits.h"

// Lists of up to this many items are searched linearly.
#define LANES_LOOKED_THROUGH 8

// Initialize with zeros; with `count` 0 it can be used for another list.
struct lane_table {
    size_t count; // number of items in the slots; 0: the slots are not set
    struct hash_seed seed;
    uint32_t *slots; // index of the item + 1; 0: free
    size_t slot_count;
};

struct lane_items {
    const void *first;
    size_t item_bytes, count;
};

// The item's index; SIZE_MAX: none. Names longer than those stored are cut. Without memory for
// slots, whose number depends on the list, the list is searched linearly.
size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length);

void lane_table_free(struct lane_table *table);

#endif
