#include "base/vec.h"

#include <stdlib.h>

// At first there is room for one large item or for several small ones. There may be many arrays
// with few items, for example one for each core.
enum { FIRST_BYTES = 256, FIRST_ITEMS = 16 };

bool vec_reserve(void **items, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return true;
    size_t first_items =
        (size_t)u64_min(FIRST_BYTES / u64_min(item_bytes, FIRST_BYTES), FIRST_ITEMS);
    size_t grown = *capacity + *capacity / 2 + first_items;
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

bool vec_extend(void **items, size_t *count, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (!vec_reserve(items, capacity, wanted, item_bytes))
        return false;
    memset((char *)*items + *count * item_bytes, 0, (wanted - *count) * item_bytes);
    *count = wanted;
    return true;
}
