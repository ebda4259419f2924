#include "base/hashset.h"

#include <stdlib.h>

static size_t probe(const struct hashset *set, uint64_t hash)
{
    size_t at = (size_t)hash_key(&set->seed, hash) & (set->slot_count - 1);
    while (set->slots[at] && set->slots[at] != hash)
        at = (at + 1) & (set->slot_count - 1);
    return at;
}

bool hashset_add(struct hashset *set, uint64_t hash, bool *is_new)
{
    hash += hash == 0; // 0 marks free slots
    if (2 * (set->count + 1) > set->slot_count) {
        struct hashset grown = *set;
        grown.slot_count = set->slot_count ? set->slot_count * 2 : 64;
        if (!set->slot_count)
            grown.seed = hash_seed_new();
        grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
        if (!grown.slots)
            return false;
        for (size_t i = 0; i < set->slot_count; i++) {
            if (set->slots[i])
                grown.slots[probe(&grown, set->slots[i])] = set->slots[i];
        }
        free(set->slots);
        *set = grown;
    }
    size_t at = probe(set, hash);
    *is_new = set->slots[at] == 0;
    set->slots[at] = hash;
    set->count += *is_new;
    return true;
}

bool hashset_has(const struct hashset *set, uint64_t hash)
{
    hash += hash == 0;
    return set->count && set->slots[probe(set, hash)];
}

void hashset_clear(struct hashset *set)
{
    if (set->count)
        memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    set->count = 0;
}

void hashset_free(struct hashset *set)
{
    free(set->slots);
    *set = (struct hashset){0};
}
