// A heap and locks for the programs with faults. Nothing here checks who holds a lock.
#include "faults.h"

struct header {
    size_t size;         // odd: it is free
    struct header *next; // of the free ones
};

static _Alignas(16) unsigned char arena[8192];
static size_t arena_used;
static struct header *free_blocks;

volatile uint32_t heap_users;

static void *find_free(size_t size)
{
    for (struct header **at = &free_blocks; *at; at = &(*at)->next) {
        if ((*at)->size == (size | 1)) {
            struct header *found = *at;
            *at = found->next;
            found->size = size;
            return found + 1;
        }
    }
    if (size > sizeof arena - arena_used - sizeof(struct header)) {
        return NULL;
    }
    struct header *made = (struct header *)(void *)(arena + arena_used);
    arena_used += sizeof *made + size;
    made->size = size;
    return made + 1;
}

NOINLINE void *malloc(size_t size)
{
    heap_users++;
    void *made = find_free((size + 15) & ~(size_t)15);
    heap_users--;
    return made;
}

// Passes over what it did not allocate, so that a program survives.
NOINLINE void free(void *block)
{
    struct header *header = (struct header *)block - 1;
    if (!block || (unsigned char *)block < arena ||
        (unsigned char *)block >= arena + sizeof arena || (uintptr_t)block % 16 ||
        header->size % 2 || !header->size) {
        return;
    }
    heap_users++;
    header->size |= 1;
    header->next = free_blocks;
    free_blocks = header;
    heap_users--;
}

NOINLINE void *calloc(size_t count, size_t size)
{
    void *made = malloc(count * size);
    return made ? memset(made, 0, count * size) : NULL;
}

NOINLINE void *realloc(void *block, size_t size)
{
    void *made = malloc(size);
    if (made && block) {
        size_t old = ((struct header *)block - 1)->size;
        memcpy(made, block, old < size ? old : size);
        free(block);
    }
    return made;
}

// Not only branches, which linkers leave out.
NOINLINE void *operator_new(size_t size)
{
    void *made = malloc(size);
    return made ? made : (void *)arena;
}

NOINLINE void operator_delete(void *block)
{
    if (block != arena) {
        free(block);
    }
}

NOINLINE void mutex_lock(struct lock *lock)
{
    while (lock->is_taken) {
        wait_for_others();
    }
    lock->is_taken = 1;
}

NOINLINE void mutex_unlock(struct lock *lock)
{
    lock->is_taken = 0;
}

NOINLINE void usleep(uint32_t microseconds)
{
    for (uint32_t i = 0; i < microseconds; i++) {
        wait_for_others();
    }
}
