#include "flow/entry_set.h"

#include <stdlib.h>

// Merges two sorted arrays of `count` each, and frees them. NULL: no memory.
static uint64_t *merge_arrays(uint64_t *a, uint64_t *b, size_t count)
{
    uint64_t *merged = malloc(2 * count * sizeof *merged);
    size_t from_a = 0, from_b = 0;
    for (size_t i = 0; merged && i < 2 * count; i++) {
        bool takes_a = from_b == count || (from_a < count && a[from_a] < b[from_b]);
        merged[i] = takes_a ? a[from_a++] : b[from_b++];
    }
    free(a);
    free(b);
    return merged;
}

static size_t count_of_level(size_t level)
{
    return (size_t)ENTRY_SET_NEWEST << level;
}

// There may be many sets of few addresses, one for each core.
enum { RECENT_FIRST = 8, RECENT_MOST = 256 };

// Makes room for as many recent ones as there are addresses, within these bounds. False: no memory.
static bool grow_recent(struct entry_set *set)
{
    size_t count = set->recent ? set->recent_mask + 1 : 0;
    if (count == RECENT_MOST || (count && set->all.count < count))
        return true;
    count = count ? 2 * count : RECENT_FIRST;
    struct entry_recent *recent = calloc(count, sizeof *recent);
    if (!recent)
        return false;
    free(set->recent);
    set->recent = recent;
    set->recent_mask = count - 1;
    return true;
}

// Moves the newest ones to the levels. False: no memory.
static bool settle_newest(struct entry_set *set)
{
    uint64_t *carried = malloc(sizeof set->newest);
    if (carried)
        memcpy(carried, set->newest, sizeof set->newest);
    set->newest_count = 0;
    for (size_t level = 0; carried; level++) {
        uint64_t *there = set->levels[level];
        set->levels[level] = NULL;
        if (!there) {
            set->levels[level] = carried;
            return true;
        }
        carried = merge_arrays(there, carried, count_of_level(level));
    }
    return false;
}

bool entry_set_add_new(struct entry_set *set, uint64_t pc)
{
    bool is_new;
    if (!grow_recent(set))
        return false;
    entry_set_recent(set, pc)->pc = pc;
    if (!hashset_add(&set->all, pc, &is_new))
        return false;
    if (!is_new)
        return true;
    if (set->newest_count == ENTRY_SET_NEWEST && !settle_newest(set))
        return false;
    size_t at = u64_count_up_to(set->newest, set->newest_count, pc);
    memmove(set->newest + at + 1, set->newest + at,
            (set->newest_count++ - at) * sizeof *set->newest);
    set->newest[at] = pc;
    return true;
}

bool entry_set_has(const struct entry_set *set, uint64_t pc)
{
    return entry_set_is_recent(set, pc) || hashset_has(&set->all, pc) ||
           (set->given && function_map_has_entry(set->given, pc));
}

// The first of a sorted array that is after `pc`, if that is before `next`; else that.
static uint64_t next_of(const uint64_t *sorted, size_t count, uint64_t pc, uint64_t next)
{
    size_t at = u64_count_up_to(sorted, count, pc);
    return at < count ? u64_min(next, sorted[at]) : next;
}

uint64_t entry_set_find_next(struct entry_set *set, uint64_t pc)
{
    uint64_t next = set->given ? function_map_next(set->given, pc) : ENTRY_SET_NONE;
    next = next_of(set->newest, set->newest_count, pc, next);
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++) {
        if (set->levels[level])
            next = next_of(set->levels[level], count_of_level(level), pc, next);
    }
    if (set->recent)
        entry_set_recent(set, pc)->next = (struct entry_next){pc, next, set->all.count};
    return next;
}

// The last of a sorted array that is not after `pc`, if that is after `last`; else that.
static uint64_t last_of(const uint64_t *sorted, size_t count, uint64_t pc, uint64_t last)
{
    size_t at = u64_count_up_to(sorted, count, pc);
    return at && (last == ENTRY_SET_NONE || sorted[at - 1] > last) ? sorted[at - 1] : last;
}

uint64_t entry_set_last(const struct entry_set *set, uint64_t pc)
{
    uint64_t last = set->given ? function_map_last(set->given, pc) : ENTRY_SET_NONE;
    last = last_of(set->newest, set->newest_count, pc, last);
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++) {
        if (set->levels[level])
            last = last_of(set->levels[level], count_of_level(level), pc, last);
    }
    return last;
}

static void free_levels(struct entry_set *set)
{
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++) {
        free(set->levels[level]);
        set->levels[level] = NULL;
    }
}

void entry_set_clear(struct entry_set *set)
{
    hashset_clear(&set->all);
    if (set->recent)
        memset(set->recent, 0, (set->recent_mask + 1) * sizeof *set->recent);
    set->newest_count = 0;
    free_levels(set);
}

void entry_set_free(struct entry_set *set)
{
    hashset_free(&set->all);
    free(set->recent);
    free_levels(set);
    *set = (struct entry_set){0};
}
