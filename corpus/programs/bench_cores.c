// Benchmark program: four cores, each with work of its own, which add to one total under a lock. A
// core starts with its number. Runs until it is stopped.
#include "lib.h"

enum { CORES = 4 };

static volatile uint32_t lock, shared;
static volatile uint32_t results[CORES][16];

static NOINLINE void add_shared(uint32_t value)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    shared += value;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static NOINLINE uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t count_bits(uint32_t x)
{
    uint32_t count = 0;
    for (; x != 0; x &= x - 1) {
        count++;
    }
    return count;
}

static NOINLINE uint32_t divide(uint32_t a, uint32_t b)
{
    uint32_t quotient = 0;
    for (int bit = 31; bit >= 0; bit--) {
        if (a >> bit >= b) {
            a -= b << bit;
            quotient |= 1u << bit;
        }
    }
    return quotient;
}

static NOINLINE uint32_t sum_of(volatile const uint32_t *values, unsigned count)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum = sum * 31 + values[i];
    }
    return sum;
}

int main(int core)
{
    for (uint32_t i = 1;; i++) {
        uint32_t value = core == 0   ? fibonacci(i % 9)
                         : core == 1 ? count_bits(i * 0x9e3779b1)
                         : core == 2 ? divide(i * 2654435761u, i)
                                     : sum_of(results[i % CORES], 16);
        results[core][i % 16] += value;
        add_shared(value);
    }
}
