// Priorities of items that are not hot, in a treap (items.h).
#ifndef TRAWL_EXPORT_TTU_PRIORITY_H
#define TRAWL_EXPORT_TTU_PRIORITY_H

#include "base/base.h"

// 31 pseudorandom bits, the same in each run, because they determine the output. A malicious trace
// could choose addresses that make a deep tree: LIMIT_TTU_TREE_DEPTH prevents that.
static inline uint32_t ttu_cold_priority(uint8_t space, uint64_t lo)
{
    uint64_t hash = (lo ^ space) + UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((hash ^ hash >> 31) >> 33);
}

#endif
