// Benchmark program: memory that is moved. Copies in registers of 16 bytes, in words and in bytes,
// fills, strings that are measured and compared. Nearly every instruction has an access. Runs until
// it is stopped.
#include "lib.h"

typedef uint64_t vector __attribute__((vector_size(16), aligned(1), may_alias));

enum { ARENA = 1 << 20 };

static uint8_t from[ARENA], to[ARENA];
static uint64_t seed = 0x6c62272e07bb0142;
static volatile uint64_t sink;

static NOINLINE void copy_vectors(uint8_t *t, const uint8_t *f, size_t size)
{
    for (size_t i = 0; i + 64 <= size; i += 64) {
        vector a = *(const vector *)(f + i), b = *(const vector *)(f + i + 16);
        vector c = *(const vector *)(f + i + 32), d = *(const vector *)(f + i + 48);
        *(vector *)(t + i) = a;
        *(vector *)(t + i + 16) = b;
        *(vector *)(t + i + 32) = c;
        *(vector *)(t + i + 48) = d;
    }
}

static NOINLINE void copy_bytes(uint8_t *t, const uint8_t *f, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        t[i] = f[i];
        __asm__ volatile("" ::: "memory"); // byte by byte
    }
}

static NOINLINE void fill(uint8_t *t, uint64_t word, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        *(volatile uint64_t *)(t + i) = word + i;
    }
}

static NOINLINE size_t length(const uint8_t *text)
{
    size_t n = 0;
    for (; text[n] != 0; n++) {
        __asm__ volatile("" ::: "memory");
    }
    return n;
}

static NOINLINE size_t common(const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t n = 0;
    for (; n < size && a[n] == b[n]; n++) {
        __asm__ volatile("" ::: "memory");
    }
    return n;
}

int main(void)
{
    for (;;) {
        uint64_t r = random_next(&seed);
        size_t at = (r & 0x7ffff) & ~(size_t)7, size = 64 + (r >> 20) % 4000;
        fill(from + at, r | 0x0101010101010101, size);
        copy_vectors(to + at, from + at, size);
        copy_bytes(to + at / 2, from + at + 3, size / 16);
        from[at + size / 4] = 0;
        sink += length(from + at) + common(from + at, to + at, size / 4);
    }
}
