#include "base/arena.h"

#include <stdlib.h>

#define ARENA_BLOCK_BYTES ((size_t)64 << 10)
#define ARENA_ALIGN ((size_t)16)

struct arena_block {
    struct arena_block *older;
    size_t capacity_bytes;
    _Alignas(16) unsigned char bytes[];
};

static struct arena_block *arena_grow(struct arena *arena, size_t size_bytes)
{
    size_t capacity = size_bytes > ARENA_BLOCK_BYTES ? size_bytes : ARENA_BLOCK_BYTES;
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (!block)
        return NULL;
    block->capacity_bytes = capacity;
    block->older = arena->newest;
    arena->newest = block;
    arena->used_bytes = 0;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX / 2)
        return NULL;
    size_t rounded = (size_bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    struct arena_block *block = arena->newest;
    if (!block || block->capacity_bytes - arena->used_bytes < rounded)
        block = arena_grow(arena, rounded);
    if (!block)
        return NULL;
    void *memory = block->bytes + arena->used_bytes;
    arena->used_bytes += rounded;
    return memory;
}

char *arena_copy_string(struct arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->newest; block;) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
    *arena = (struct arena){0};
}
