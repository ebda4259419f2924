#include "base/vec.h"

#include <stdlib.h>

bool vec_reserve(void **items, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return true;
    size_t grown = *capacity + *capacity / 2 + 16;
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
