// Two cores: each does work of its own, both add to a shared total under a lock, and core 0 waits
// for core 1 at the end. Exclusive loads and stores may fail and be tried again.
#include "lib.h"

static volatile uint32_t lock, shared, ready;
static uint32_t results[2];

static NOINLINE void acquire(volatile uint32_t *l)
{
    uint32_t expected = 0;
    while (
        !__atomic_compare_exchange_n(l, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        expected = 0;
    }
}

static NOINLINE void release(volatile uint32_t *l)
{
    __atomic_store_n(l, 0, __ATOMIC_RELEASE);
}

static NOINLINE void add_shared(uint32_t value)
{
    acquire(&lock);
    uint32_t old = shared;
    shared = old + value;
    release(&lock);
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

static NOINLINE void work_fibonacci(void)
{
    for (uint32_t i = 0; i < 7; i++) {
        results[0] += fibonacci(i);
        add_shared(i);
    }
}

static NOINLINE void work_bits(void)
{
    for (uint32_t i = 0; i < 12; i++) {
        results[1] += count_bits(i * 0x9e3779b1);
        add_shared(i * 100);
    }
}

int main(int core)
{
    if (core != 0) {
        work_bits();
        ready = 1;
        return 0;
    }
    work_fibonacci();
    while (ready == 0) {
    }
    print_number("shared ", shared);
    print_number("results ", results[0] + results[1]);
    return 0;
}
