// Windows of a few hundred events: which items of the memory tree are written in each, and how near
// to the root each of them should be.
#ifndef TRAWL_COMPAT_TTU_WINDOWS_H
#define TRAWL_COMPAT_TTU_WINDOWS_H

#include "base/hash_seed.h"
#include "base/vec.h"
#include "flow/segment.h"

#define TTU_WINDOW_EVENTS 512

// Above the priority of any item that is not hot.
#define TTU_HOT_PRIORITY (UINT32_MAX - 255)

struct ttu_hot_key {
    uint64_t lo;
    uint8_t space; // enum ttu_space
    uint32_t writes;
    uint32_t priority; // TTU_HOT_PRIORITY or above
};

// The hot keys of the windows of one segment.
struct ttu_windows {
    VEC(, struct ttu_hot_key) keys; // ascending in each window
    VEC(, uint32_t) ends;           // of each window's keys
    uint32_t *slots;                // while keys are counted
    struct hash_seed seed;
};

// False: no memory.
bool ttu_windows_find(struct ttu_windows *windows, const struct segment *segment);
void ttu_windows_free(struct ttu_windows *windows);

// The order of items.
static ALWAYS_INLINE bool ttu_key_is_before(uint8_t space, uint64_t lo, uint8_t other_space,
                                            uint64_t other_lo)
{
    return space != other_space ? space < other_space : lo < other_lo;
}

#endif
