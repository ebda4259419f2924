#include "idx/live_regions.h"

#include <stdlib.h>

void live_regions_free(struct live_regions *regions)
{
    free(regions->all.items);
    free(regions->slots);
    *regions = (struct live_regions){0};
}

// The slot of the block, or the free slot where it would go.
static size_t probe(const struct live_regions *regions, unsigned shift, uint64_t block)
{
    uint64_t hash = hash_keys(&regions->seed, shift, block);
    size_t mask = regions->slot_count - 1, at = (size_t)hash & mask;
    while (regions->slots[at]) {
        const struct region *region = &regions->all.items[regions->slots[at] - 1];
        if (region->shift == shift && region->block == block)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_slots(struct live_regions *regions)
{
    struct live_regions grown = *regions;
    grown.slot_count = regions->slot_count ? 2 * regions->slot_count : 64;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    if (!regions->slot_count)
        grown.seed = hash_seed_new();
    for (size_t i = 0; i < regions->slot_count; i++) {
        if (!regions->slots[i])
            continue;
        const struct region *region = &regions->all.items[regions->slots[i] - 1];
        grown.slots[probe(&grown, region->shift, region->block)] = regions->slots[i];
    }
    free(regions->slots);
    *regions = grown;
    return true;
}

static bool add_block(struct live_regions *regions, uint64_t event, unsigned shift, uint64_t block)
{
    if (2 * (regions->used_count + 1) > regions->slot_count && !grow_slots(regions))
        return false;
    if (regions->all.count >= UINT32_MAX - 1 || !VEC_ROOM(&regions->all, 1))
        return false;
    size_t at = probe(regions, shift, block);
    regions->used_count += !regions->slots[at];
    regions->all.items[regions->all.count++] = (struct region){block, event, (uint8_t)shift};
    regions->slots[at] = (uint32_t)regions->all.count;
    regions->shifts |= UINT64_C(1) << shift;
    return true;
}

bool live_regions_add(struct live_regions *regions, uint64_t event, uint64_t start, uint64_t length)
{
    // The last byte of the address space is never included.
    length = u64_min(length, UINT64_MAX - start);
    while (length) {
        unsigned shift = start ? (unsigned)__builtin_ctzll(start) : 63;
        unsigned fits = 63 - (unsigned)__builtin_clzll(length);
        shift = shift < fits ? shift : fits;
        if (!add_block(regions, event, shift, start >> shift))
            return false;
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
        uint32_t slot = regions->slots[probe(regions, shift, address >> shift)];
        if (!slot)
            continue;
        uint64_t event = regions->all.items[slot - 1].event;
        found = found == UINT64_MAX ? event : u64_max(found, event);
    }
    return found;
}
