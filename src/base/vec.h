// A growable array of fixed-size items. The items are public; only growing goes through a call.
#ifndef TRAWL_BASE_VEC_H
#define TRAWL_BASE_VEC_H

#include "base/base.h"

// Makes room for `wanted` items of `item_bytes` in *items (capacity in *capacity), plus half as
// many again. False if there is no memory; the array is then unchanged.
bool vec_reserve(void **items, size_t *capacity, size_t wanted, size_t item_bytes);

// The same for items up to number `wanted` - 1, which *count then includes; new ones are zero.
bool vec_extend(void **items, size_t *count, size_t *capacity, size_t wanted, size_t item_bytes);

// Declares `struct NAME { TYPE *items; size_t count, capacity; }`. All zero is an empty array;
// free(v.items) frees it.
#define VEC(name, type)                                                                            \
    struct name {                                                                                  \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

// A growable buffer of bytes.
VEC(bytes, uint8_t);

// True if `v` has room for `extra` more items.
#define VEC_ROOM(v, extra)                                                                         \
    (LIKELY((v)->capacity - (v)->count >= (extra)) ||                                              \
     vec_reserve((void **)&(v)->items, &(v)->capacity, (v)->count + (extra), sizeof *(v)->items))

// The items from number `at` on; of an empty array NULL, from which C cannot count.
#define VEC_FROM(v, at) ((v)->items ? (v)->items + (at) : NULL)

// True when `v` has `wanted` items or more; those that it did not have are zero.
#define VEC_EXTEND(v, wanted)                                                                      \
    ((v)->count >= (wanted) ||                                                                     \
     vec_extend((void **)&(v)->items, &(v)->count, &(v)->capacity, (wanted), sizeof *(v)->items))

#endif
