// Finds a lane in a list by its name, in the same time for two lanes or thousands. The list belongs
// to the caller: items that begin with their names, and whose existing items do not change.
#ifndef TRAWL_TRACE_TARMAC_LANE_TABLE_H
#define TRAWL_TRACE_TARMAC_LANE_TABLE_H

#include "base/hash_seed.h"
#include "base/limits.h"

// Few are looked through.
#define LANES_LOOKED_THROUGH 8

// All zero to begin with; with `count` 0 it is ready for another list.
struct lane_table {
    size_t count; // of the items, that are in the slots; 0: these are not set
    struct hash_seed seed;
    uint32_t *slots; // number of the item + 1; 0: free
    size_t slot_count;
};

struct lane_items {
    const void *first;
    size_t item_bytes, count;
};

// The item's number; SIZE_MAX: there is none. Longer names than any that is kept are cut. Without
// memory for slots, which are as many as the list needs, the list is looked through.
size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length);

void lane_table_free(struct lane_table *table);

#endif
