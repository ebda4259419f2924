// What the C++ runtime asks of a system: memory, one thread's storage, where the tables of the
// unwinder are.
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

int main(void);

// lib.c, without what is here.
#define memcpy byte_memcpy
#define memset byte_memset
#include "lib.c"
#undef memcpy
#undef memset

extern const ElfW(Ehdr) __ehdr_start;
extern const char tls_start[], tls_data_end[], tls_end[];

static _Alignas(16) char heap[1 << 15], storage[1 << 11];
static size_t used;

// The unwinder copies and clears its registers for every frame: by large pieces, for the traces'
// sake.
typedef uint8_t piece_t __attribute__((vector_size(64), aligned(1), may_alias));

void *memcpy(void *to, const void *from, size_t size)
{
    size_t at = 0;
    for (; at + sizeof(piece_t) <= size; at += sizeof(piece_t)) {
        *(piece_t *)((char *)to + at) = *(const piece_t *)((const char *)from + at);
    }
    for (; at < size; at++) {
        ((char *)to)[at] = ((const char *)from)[at];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    size_t at = 0;
    for (; at + sizeof(piece_t) <= size; at += sizeof(piece_t)) {
        *(piece_t *)((char *)to + at) = (piece_t){0} + (uint8_t)value;
    }
    for (; at < size; at++) {
        ((char *)to)[at] = (char)value;
    }
    return to;
}

void *malloc(size_t size)
{
    void *at = heap + used;
    used += (size + 15) & ~(size_t)15;
    return at;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment; // all are aligned to 16
    return malloc(size);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
    (void)alignment;
    *at = malloc(size);
    return 0;
}

void *calloc(size_t count, size_t size)
{
    return memset(malloc(count * size), 0, count * size);
}

void free(void *at)
{
    (void)at;
}

void abort(void)
{
    program_exit(1);
}

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
    const ElfW(Ehdr) *header = &__ehdr_start;
    struct dl_phdr_info info = {
        .dlpi_name = "",
        .dlpi_phdr = (const void *)((const char *)header + header->e_phoff),
        .dlpi_phnum = header->e_phnum,
    };
    return callback(&info, sizeof info, data);
}

void host_main(void)
{
    memcpy(storage + 16, tls_start, (size_t)(tls_data_end - tls_start));
    __asm__ volatile("msr tpidr_el0, %0" ::"r"(storage));
    main();
}
