#include "idx/live_regions.h"

#include <stdlib.h>

void live_regions_free(struct live_regions *regions)
{
    free(regions->all.items);
    hash_index_free(&regions->latest);
    *regions = (struct live_regions){0};
}

// The number of the latest region of a block in `all`, or HASH_INDEX_NONE.
static uint32_t latest_of(const struct live_regions *regions, unsigned shift, uint64_t block)
{
    const struct region *all = regions->all.items;
    uint32_t number;
    HASH_INDEX_FIND(number, &regions->latest, hash_keys(&regions->latest.seed, shift, block),
                    all[candidate].shift == shift && all[candidate].block == block);
    return number;
}

bool live_regions_add(struct live_regions *regions, uint64_t event, uint64_t start, uint64_t length)
{
    // The last byte of the address space is never included.
    length = u64_min(length, UINT64_MAX - start);
    while (length) {
        unsigned shift = start ? (unsigned)__builtin_ctzll(start) : 63;
        unsigned fits = 63 - (unsigned)__builtin_clzll(length);
        shift = shift < fits ? shift : fits;
        uint64_t block = start >> shift;
        uint64_t hash = hash_keys(hash_index_seed(&regions->latest), shift, block);
        uint32_t earlier = latest_of(regions, shift, block), number = (uint32_t)regions->all.count;
        if (regions->all.count >= UINT32_MAX - 1 || !VEC_ROOM(&regions->all, 1))
            return false;
        if (earlier != HASH_INDEX_NONE)
            hash_index_remove(&regions->latest, hash, earlier);
        if (!hash_index_add(&regions->latest, hash, number))
            return false;
        regions->all.items[regions->all.count++] = (struct region){block, event, (uint8_t)shift};
        regions->shifts |= UINT64_C(1) << shift;
        start += UINT64_C(1) << shift;
        length -= UINT64_C(1) << shift;
    }
    return true;
}

uint64_t live_regions_at(const struct live_regions *regions, uint64_t address)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t shifts = regions->shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        uint32_t number = latest_of(regions, shift, address >> shift);
        if (number == HASH_INDEX_NONE)
            continue;
        uint64_t event = regions->all.items[number].event;
        found = found == UINT64_MAX ? event : u64_max(found, event);
    }
    return found;
}
