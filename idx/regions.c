// The memory that host calls may have written, in a finished index.
#include "idx/index.h"

static int compare_region(const struct region *region, unsigned shift, uint64_t block,
                          uint64_t event)
{
    if (region->shift != shift)
        return region->shift < shift ? -1 : 1;
    if (region->block != block)
        return region->block < block ? -1 : 1;
    return (region->event > event) - (region->event < event);
}

size_t index_region_find(const struct trawl_index *index, unsigned shift, uint64_t block,
                         uint64_t event)
{
    size_t low;
    PARTITION_POINT(low, index->regions.count,
                    compare_region(&index->regions.items[middle], shift, block, event) < 0);
    return low;
}

uint64_t index_region_at(const struct trawl_index *index, uint64_t address, uint64_t event,
                         bool back)
{
    uint64_t found = UINT64_MAX;
    if (index->live) // none of them is after the point in question
        return back ? live_regions_at(index->live, address) : UINT64_MAX;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        uint64_t block = address >> shift;
        size_t place = index_region_find(index, shift, block, back ? event + 1 : event);
        if (back && place-- == 0)
            continue;
        if (place == index->regions.count)
            continue;
        const struct region *region = &index->regions.items[place];
        if (region->shift != shift || region->block != block)
            continue;
        if (found == UINT64_MAX || (back ? region->event > found : region->event < found))
            found = region->event;
    }
    return found;
}

bool index_has_regions(const struct trawl_index *index, uint64_t first, uint64_t last)
{
    if (index->live)
        return true;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        size_t place = index_region_find(index, shift, first >> shift, 0);
        if (place < index->regions.count && index->regions.items[place].shift == shift &&
            index->regions.items[place].block <= last >> shift)
            return true;
    }
    return false;
}
