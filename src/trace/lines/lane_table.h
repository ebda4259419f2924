// Finds a lane in a list by its name, with two lanes as fast as with thousands. The caller owns the
// list: its items begin with their names, and existing items do not change.
#ifndef TRAWL_TRACE_LINES_LANE_TABLE_H
#define TRAWL_TRACE_LINES_LANE_TABLE_H

#include "base/hash_index.h"
#include "base/limits.h"

// Lists of up to this many items are searched linearly.
#define LANES_LOOKED_THROUGH 8

// All zero is empty.
struct lane_table {
    struct hash_index numbers; // of the items that it has seen
};

struct lane_items {
    const void *first;
    size_t item_bytes, count;
};

// The item's index; SIZE_MAX: none. Names longer than those stored are cut. Without memory for
// slots, whose number depends on the list, the list is searched linearly.
size_t lane_table_find(struct lane_table *table, const struct lane_items *items, const char *name,
                       size_t length);

// Prepares the table for another list; keeps its memory.
void lane_table_clear(struct lane_table *table);
void lane_table_free(struct lane_table *table);

#endif
