#include "base/vec.h"

#include <stdlib.h>

// Of large items there is room for one at first, of others for several.
enum { LARGE_ITEM_BYTES = 512, FIRST_ITEMS = 16 };

bool vec_reserve(void **items, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return true;
    size_t grown = *capacity + *capacity / 2 + (item_bytes < LARGE_ITEM_BYTES ? FIRST_ITEMS : 1);
    if (grown < wanted)
        grown = wanted;
    size_t total_bytes;
    if (__builtin_mul_overflow(grown, item_bytes, &total_bytes))
        return false;
    void *moved = realloc(*items, total_bytes);
    if (!moved)
        return false;
    *items = moved;
    *capacity = grown;
    return true;
}
