// Known beginnings of functions: targets of calls, and given ones. Tells whether an address is one,
// and which is the next one before or after another address.
#ifndef TRAWL_FLOW_ENTRY_SET_H
#define TRAWL_FLOW_ENTRY_SET_H

#include "base/hash_index.h"
#include "flow/function_map.h"

#define ENTRY_SET_NEWEST 32
#define ENTRY_SET_LEVELS 43
#define ENTRY_SET_NONE FUNCTION_MAP_NONE

// The next entry after another, found when the set had `count` addresses.
struct entry_next {
    uint64_t pc, next;
    size_t count;
};

// The last address looked up among those with the same low bits: most are looked up again and
// again.
struct entry_recent {
    uint64_t pc; // last added
    struct entry_next next;
};

// All zero is empty.
struct entry_set {
    const struct function_map *given; // the caller's; NULL: none
    struct entry_recent *recent;      // NULL: nothing was added yet
    size_t recent_mask;               // their number - 1; it grows with the addresses
    struct hashset all;
    // The last ones that were added, sorted. When full, they go to the levels.
    uint64_t newest[ENTRY_SET_NEWEST];
    size_t newest_count;
    // Sorted arrays, level n with ENTRY_SET_NEWEST * 2^n addresses or NULL: two of a level are
    // merged into one of the next, so that adding takes one step per level.
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

// The first after `pc`, or ENTRY_SET_NONE.
static inline uint64_t entry_set_next(struct entry_set *set, uint64_t pc)
{
    if (!set->recent)
        return entry_set_find_next(set, pc);
    const struct entry_next *known = &entry_set_recent(set, pc)->next;
    return known->pc == pc && known->count == set->all.count ? known->next
                                                             : entry_set_find_next(set, pc);
}

// The last not after `pc`, or ENTRY_SET_NONE.
uint64_t entry_set_last(const struct entry_set *set, uint64_t pc);

// Removes all but the given ones, and keeps the memory for others.
void entry_set_clear(struct entry_set *set);
void entry_set_free(struct entry_set *set);

#endif
