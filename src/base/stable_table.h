// A growable array whose items never move, so that other threads can use existing items while it
// grows. Addresses for the maximum number of items are reserved, which takes no memory and does not
// count towards limits (base/spool.h); memory is taken for existing items only.
#ifndef TRAWL_BASE_STABLE_TABLE_H
#define TRAWL_BASE_STABLE_TABLE_H

#include "base/base.h"

// Fields are private, except for `items`. All zero: not begun.
struct stable_table {
    void *items; // zero until they are written
    size_t item_bytes, count_max;
    size_t usable_bytes, reserved_bytes;
};

// Reserves addresses for `count_max` items. False: there are none, or the size overflows.
bool stable_table_begin(struct stable_table *table, size_t item_bytes, size_t count_max);

// Makes room for items up to number `count` - 1. Only one thread at a time may call it. False: no
// memory, or more than count_max.
bool stable_table_room(struct stable_table *table, size_t count);

// Can also be called for a table that was not begun or is already freed.
void stable_table_free(struct stable_table *table);

#endif
