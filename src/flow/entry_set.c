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
    uint64_t *carried = malloc(sizeof *carried);
    if (carried)
        *carried = pc;
    for (size_t level = 0; carried; level++) {
        uint64_t *there = set->levels[level];
        set->levels[level] = NULL;
        if (!there) {
            set->levels[level] = carried;
            return true;
        }
        carried = merge_arrays(there, carried, (size_t)1 << level);
    }
    return false;
}

bool entry_set_has(const struct entry_set *set, uint64_t pc)
{
    return entry_set_is_recent(set, pc) || hashset_has(&set->all, pc) ||
           (set->given && function_map_has_entry(set->given, pc));
}

uint64_t entry_set_find_next(struct entry_set *set, uint64_t pc)
{
    uint64_t next = set->given ? function_map_next(set->given, pc) : ENTRY_SET_NONE;
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++) {
        const uint64_t *sorted = set->levels[level];
        size_t count = (size_t)1 << level, at = sorted ? u64_count_up_to(sorted, count, pc) : count;
        if (at < count)
            next = u64_min(next, sorted[at]);
    }
    if (set->recent)
        entry_set_recent(set, pc)->next = (struct entry_next){pc, next, set->all.count};
    return next;
}

uint64_t entry_set_last(const struct entry_set *set, uint64_t pc)
{
    uint64_t last = set->given ? function_map_last(set->given, pc) : ENTRY_SET_NONE;
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++) {
        const uint64_t *sorted = set->levels[level];
        size_t at = sorted ? u64_count_up_to(sorted, (size_t)1 << level, pc) : 0;
        if (at && (last == ENTRY_SET_NONE || sorted[at - 1] > last))
            last = sorted[at - 1];
    }
    return last;
}

void entry_set_free(struct entry_set *set)
{
    hashset_free(&set->all);
    free(set->recent);
    for (size_t level = 0; level < ENTRY_SET_LEVELS; level++)
        free(set->levels[level]);
    *set = (struct entry_set){0};
}
