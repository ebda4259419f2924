#include "base/hash_index.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct hash_seed hash_seed_new(void)
{
    struct hash_seed seed;
    struct timespec now = {0};
    // Early at boot there may be no random numbers yet. The address of our memory is also random.
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        seed.mask = (uintptr_t)&seed * UINT64_C(0x9e3779b97f4a7c15);
        seed.factor =
            ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) * UINT64_C(0xc2b2ae3d27d4eb4f);
    }
    seed.factor |= 1;
    return seed;
}

enum { SLOTS_AT_FIRST = 64 };

static void put(struct hash_index *table, uint64_t slot)
{
    size_t at = hash_index_home(table, slot);
    while (table->slots[at])
        at = (at + 1) & (table->slot_count - 1);
    table->slots[at] = slot;
}

bool hash_index_add(struct hash_index *table, uint64_t hash, uint32_t number)
{
    ASSERT(number != HASH_INDEX_NONE);
    if (2 * (table->count + 1) > table->slot_count) {
        struct hash_index grown = *table;
        grown.slot_count = table->slot_count ? 2 * table->slot_count : SLOTS_AT_FIRST;
        grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
        if (!grown.slots)
            return false;
        for (size_t i = 0; i < table->slot_count; i++) {
            if (table->slots[i])
                put(&grown, table->slots[i]);
        }
        free(table->slots);
        *table = grown;
    }
    put(table, (hash >> 32) << 32 | (number + 1));
    table->count++;
    return true;
}

void hash_index_remove(struct hash_index *table, uint64_t hash, uint32_t number)
{
    size_t mask = table->slot_count - 1, hole = hash_index_home(table, hash);
    while (table->slots[hole] != ((hash >> 32) << 32 | (number + 1))) {
        ASSERT(table->slots[hole]);
        hole = (hole + 1) & mask;
    }
    // Close the gap, so that no search stops short of an item after it.
    for (size_t at = (hole + 1) & mask; table->slots[at]; at = (at + 1) & mask) {
        size_t home = hash_index_home(table, table->slots[at]);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole] = 0;
    table->count--;
}

void hash_index_clear(struct hash_index *table)
{
    if (table->count)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->count = 0;
}

void hash_index_free(struct hash_index *table)
{
    free(table->slots);
    *table = (struct hash_index){0};
}

// --- sets of hashes ------------------------------------------------------------------------------

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
