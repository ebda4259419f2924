#include "simd/kernels.h"

static void unpack(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out)
{
    bitpack_unpack(packed, bit, count, width, last, add, out);
}

static void add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    numbers_add_up(numbers, count, before);
}

static const char *find(const char *from, const char *end, const struct text_needle *needle)
{
    return needle_find(from, end, needle);
}

#include "simd/text_scalar.inc"

#define KERNELS kernels_scalar
#define UNPACK unpack
#define ADD_UP add_up
#define FIND find
#include "simd/kernels_body.inc"
