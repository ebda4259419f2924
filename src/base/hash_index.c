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
