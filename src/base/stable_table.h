// A growable array whose items never move, so that others may use those that are there while it
// grows. Addresses for all items that there may ever be are set aside, which takes no memory and
// does not count for limits of it (base/memory_limit.h); memory is had for as many as there are.
#ifndef TRAWL_BASE_STABLE_TABLE_H
#define TRAWL_BASE_STABLE_TABLE_H

#include "base/base.h"

// Fields are private, except for `items`. All zero is a table that was not begun.
struct stable_table {
    void *items; // zero until somebody writes them
    size_t item_bytes, count_max;
    size_t usable_bytes, reserved_bytes;
};

// Sets addresses aside for `count_max` items. False: there are none, or their size overflows.
bool stable_table_begin(struct stable_table *table, size_t item_bytes, size_t count_max);

// Makes room for items up to number `count` - 1. One thread at a time may ask. False: no memory, or
// more than there may be.
bool stable_table_room(struct stable_table *table, size_t count);

// Also of a table that was not begun, or was freed.
void stable_table_free(struct stable_table *table);

#endif
