// Known beginnings of functions: addresses that calls have gone to, and given ones. Whether an
// address is one, and which is the next before or after another address.
#ifndef TRAWL_FLOW_ENTRY_SET_H
#define TRAWL_FLOW_ENTRY_SET_H

#include "base/hashset.h"
#include "flow/function_map.h"

#define ENTRY_SET_NEWEST 32
#define ENTRY_SET_LEVELS 43
#define ENTRY_SET_NONE FUNCTION_MAP_NONE

// What was found to be next after an entry, while the set had `count` addresses.
struct entry_next {
    uint64_t pc, next;
    size_t count;
};

// What was asked for last of the addresses with some bits: most are asked for again and again.
struct entry_recent {
    uint64_t pc; // that was added
    struct entry_next next;
};

// All zero is empty.
struct entry_set {
    const struct function_map *given; // the caller's; NULL: none
    struct entry_recent *recent;      // NULL: nothing was added yet
    size_t recent_mask;               // one less than how many, which grow with the addresses
    struct hashset all;
    // The last that were added, sorted. When they are full, they go to the levels.
    uint64_t newest[ENTRY_SET_NEWEST];
    size_t newest_count;
    // Sorted arrays, level n of ENTRY_SET_NEWEST * 2^n addresses or NULL: two of a level are merged
    // into one of the next, so that adding costs a step for each level.
    uint64_t *levels[ENTRY_SET_LEVELS];
};

// False: no memory.
bool entry_set_add_new(struct entry_set *set, uint64_t pc);

static inline struct entry_recent *entry_set_recent(const struct entry_set *set, uint64_t pc)
{
    return &set->recent[pc * UINT64_C(0x9e3779b97f4a7c15) >> 32 & set->recent_mask];
}

static inline bool entry_set_is_recent(const struct entry_set *set, uint64_t pc)
{
    return set->recent && entry_set_recent(set, pc)->pc == pc && pc;
}

// False: no memory.
static inline bool entry_set_add(struct entry_set *set, uint64_t pc)
{
    return entry_set_is_recent(set, pc) || entry_set_add_new(set, pc);
}

bool entry_set_has(const struct entry_set *set, uint64_t pc);

uint64_t entry_set_find_next(struct entry_set *set, uint64_t pc);

// The first that is after `pc`, or ENTRY_SET_NONE.
static inline uint64_t entry_set_next(struct entry_set *set, uint64_t pc)
{
    if (!set->recent)
        return entry_set_find_next(set, pc);
    const struct entry_next *known = &entry_set_recent(set, pc)->next;
    return known->pc == pc && known->count == set->all.count ? known->next
                                                             : entry_set_find_next(set, pc);
}

// The last that is not after `pc`, or ENTRY_SET_NONE.
uint64_t entry_set_last(const struct entry_set *set, uint64_t pc);

// Removes all but the given ones, and keeps the memory for others.
void entry_set_clear(struct entry_set *set);
void entry_set_free(struct entry_set *set);

#endif
