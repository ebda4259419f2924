// Which instructions need not be distinguished: for each the first of its kind. The code that knows
// the kinds fills the table when an instruction is first looked up (analysis/place_merge.h).
#ifndef TRAWL_FLOW_PLACE_TABLE_H
#define TRAWL_FLOW_PLACE_TABLE_H

#include "base/base.h"

struct place_entry {
    uint64_t pc, first; // without Thumb bit
    uint64_t lowest;    // of the instructions that it represents
    bool is_there;
};

struct place_table {
    struct place_entry *entries; // by address, or elsewhere if that slot is taken
    size_t slot_count;           // a power of two, or 0
    uint64_t (*look_up)(void *self, uint64_t pc);
    void *self;
};

static inline size_t place_table_slot(const struct place_table *table, uint64_t pc)
{
    return (size_t)(pc >> 1) & (table->slot_count - 1);
}

// The first of the kind of the instruction at `pc`.
static ALWAYS_INLINE uint64_t place_table_first(const struct place_table *table, uint64_t pc)
{
    if (LIKELY(table->slot_count)) {
        const struct place_entry *entry = &table->entries[place_table_slot(table, pc)];
        if (LIKELY(entry->pc == pc && entry->is_there))
            return entry->first;
    }
    return table->look_up(table->self, pc);
}

#endif
