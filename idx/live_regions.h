// Regions of memory that host calls may have written, while they are found one by one.
//
// A region is cut into dyadic blocks: 2^n bytes at a multiple of 2^n. A byte is in one block of
// each size, so finding the last call that may have written it takes one look-up for each size that
// occurs, regardless of the number of calls and the size of their regions.
#ifndef TRAWL_IDX_LIVE_REGIONS_H
#define TRAWL_IDX_LIVE_REGIONS_H

#include "base/hash_index.h"
#include "base/vec.h"

// A block that a call may have written.
struct region {
    uint64_t block, event; // address >> shift
    uint8_t shift;
};

struct live_regions {
    VEC(, struct region) all;
    struct hash_index latest; // of each block: its number in `all`
    uint64_t shifts;          // a bit for each shift that occurs
};

// Adds [start, start + length), cut off at the end of the address space. Events must not decrease.
// False: no memory.
bool live_regions_add(struct live_regions *regions, uint64_t event, uint64_t start,
                      uint64_t length);

// The last event that may have written the byte; UINT64_MAX: none.
uint64_t live_regions_at(const struct live_regions *regions, uint64_t address);

void live_regions_free(struct live_regions *regions);

#endif
