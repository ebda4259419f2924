// The contents of registers and memory, as bytes in the file. Records share them: a recently
// written value is not written again.
#ifndef TRAWL_EXPORT_TTU_CONTENTS_H
#define TRAWL_EXPORT_TTU_CONTENTS_H

#include "export/ttu/file.h"

#define TTU_CONTENTS_BITS 16

struct ttu_content {
    uint64_t value;
    uint64_t place; // offset << 4 | bytes; 0: none
};

struct ttu_contents {
    struct ttu_content *recent;
};

// False: no memory.
bool ttu_contents_begin(struct ttu_contents *contents);
void ttu_contents_free(struct ttu_contents *contents);

static ALWAYS_INLINE struct ttu_content *ttu_content_of(const struct ttu_contents *contents,
                                                        uint64_t value, unsigned size_bytes)
{
    uint64_t hash = (value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ size_bytes) * UINT64_C(0xd6e8feb86659fd93);
    return &contents->recent[hash >> (64 - TTU_CONTENTS_BITS)];
}

// A value is put soon: most are far from all others in memory.
static ALWAYS_INLINE void ttu_contents_prefetch(const struct ttu_contents *contents, uint64_t value,
                                                unsigned size_bytes)
{
    __builtin_prefetch(ttu_content_of(contents, value, size_bytes));
}

// The offset in the file of the lowest `size_bytes` (1 to 8) of `value`, lowest first. Its other
// bytes are 0.
static ALWAYS_INLINE uint64_t ttu_contents_put(struct ttu_contents *contents,
                                               struct ttu_stream *stream, uint64_t value,
                                               unsigned size_bytes)
{
    struct ttu_content *recent = ttu_content_of(contents, value, size_bytes);
    if (LIKELY(recent->value == value && (recent->place & 15) == size_bytes))
        return recent->place >> 4;
    uint8_t *out = ttu_stream_add(stream, size_bytes);
    uint64_t offset = ttu_stream_position(stream) - size_bytes;
    for (unsigned i = 0; i < size_bytes; i++)
        out[i] = (uint8_t)(value >> 8 * i);
    *recent = (struct ttu_content){value, offset << 4 | size_bytes};
    return offset;
}

#endif
