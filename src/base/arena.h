// Memory that is freed all at once: strings, nodes and tables that live as long as their owner.
#ifndef TRAWL_BASE_ARENA_H
#define TRAWL_BASE_ARENA_H

#include "base/base.h"

struct arena_block;

// All zero is an empty arena.
struct arena {
    struct arena_block *newest;
    size_t used_bytes; // in the newest block
};

// Returns `size_bytes` of zeroed memory aligned to 16 bytes. NULL: no memory.
void *arena_alloc(struct arena *arena, size_t size_bytes);

// Returns a copy of `length` bytes with a NUL after them. NULL: no memory.
char *arena_copy_string(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

#endif
