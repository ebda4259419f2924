#include "idx/block.h"

#include "simd/bitpack.h"

enum codec { CODEC_PACKED };

uint8_t *block_write(uint8_t *out, const uint64_t *values, unsigned count, uint64_t min,
                     uint64_t max)
{
    *out++ = CODEC_PACKED;
    return bitpack_pack(out, values, count, bitpack_width(max - min), min);
}

// The packed values, and their width; NULL if they are not all there.
static const uint8_t *open_packed(const struct block *block, unsigned *width)
{
    *width = bitpack_width(block->max - block->min);
    size_t bytes = (size_t)(block->end - block->payload);
    if (bytes != 1 + bitpack_bytes(block->count, *width) || block->payload[0] != CODEC_PACKED)
        return NULL;
    return block->payload + 1;
}

bool block_get(const struct block *block, unsigned i, uint64_t *value)
{
    unsigned width;
    const uint8_t *packed = open_packed(block, &width);
    if (!packed)
        return false;
    *value = block->min + bitpack_get(packed, i, width, block->last);
    return true;
}

bool block_read(const struct block *block, unsigned from, unsigned count, uint64_t *out)
{
    unsigned width;
    const uint8_t *packed = open_packed(block, &width);
    if (!packed)
        return false;
    bitpack_unpack(packed, from * width, count, width, block->last, block->min, out);
    return true;
}

bool block_search(const struct block *block, unsigned from, unsigned to, uint64_t x,
                  unsigned *place)
{
    unsigned width;
    const uint8_t *packed = open_packed(block, &width);
    if (!packed)
        return false;
    while (from < to) {
        unsigned middle = (from + to) / 2;
        if (block->min + bitpack_get(packed, middle, width, block->last) <= x)
            from = middle + 1;
        else
            to = middle;
    }
    *place = from;
    return true;
}
