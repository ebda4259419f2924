// The little that the programs need of a C library.
#ifndef LIB_H
#define LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

// Benchmarks are such programs that do not end: -DENDLESS.
#ifdef ENDLESS
#define IS_ENDLESS 1
#else
#define IS_ENDLESS 0
#endif

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
size_t strlen(const char *s);

// Semihosting.
enum {
    SYS_OPEN = 1,
    SYS_WRITE0 = 4,
    SYS_WRITE = 5,
    SYS_READ = 6,
    SYS_CLOCK = 0x10,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO = 0x16,
    SYS_EXIT = 0x18
};
long semihost(long operation, const void *block);
_Noreturn void program_exit(int code);
void print(const char *text);
void print_number(const char *label, uint32_t value);

// xorshift64: the same numbers in every run.
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

#endif
