// Searches for text in other text: two of its bytes are compared at many places at once, and all of
// it only where both match. The choice of the two bytes only affects the speed.
#ifndef TRAWL_SIMD_NEEDLE_H
#define TRAWL_SIMD_NEEDLE_H

#include "base/base.h"

struct text_needle {
    const char *text;
    size_t length;        // at least 1
    size_t first, second; // indexes of the two bytes compared
};

// The first occurrence of the needle in [from, end), or NULL: the scalar reference.
static inline const char *needle_find(const char *from, const char *end,
                                      const struct text_needle *needle)
{
    return memmem(from, (size_t)(end - from), needle->text, needle->length);
}

static ALWAYS_INLINE bool needle_is_at(const struct text_needle *needle, const char *place)
{
    return memcmp(place, needle->text, needle->length) == 0;
}

// Whether so many places matched only in both bytes that the C library is faster, whose time does
// not depend on the text.
static ALWAYS_INLINE bool needle_misses_much(size_t misses, size_t looked_at_bytes)
{
    return misses > 64 + looked_at_bytes / 32;
}

#endif
