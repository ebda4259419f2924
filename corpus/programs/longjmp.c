// Non-local jumps: out of one frame, out of many, and out of a loop of retries.
#include "lib.h"

typedef uint64_t jump_buffer_t[24];

int set_jump(jump_buffer_t buffer) __attribute__((returns_twice));
_Noreturn void long_jump(jump_buffer_t buffer, int value);

static jump_buffer_t outer, inner;
static volatile uint32_t attempts;

static NOINLINE uint32_t dive(uint32_t depth, uint32_t bottom)
{
    if (depth == bottom) {
        long_jump(outer, (int)depth);
    }
    return dive(depth + 1, bottom) + depth;
}

static NOINLINE void check(uint32_t value)
{
    if (value % 3 != 0) {
        long_jump(inner, (int)value);
    }
}

static NOINLINE uint32_t parse(uint32_t value)
{
    check(value);
    attempts += 10;
    return value * 2;
}

static NOINLINE uint32_t retry(uint32_t start)
{
    volatile uint32_t value = start;
    if (set_jump(inner) != 0) {
        attempts++;
        value++;
    }
    return parse(value);
}

static NOINLINE uint32_t catch_dive(uint32_t bottom)
{
    int caught = set_jump(outer);
    if (caught == 0) {
        return dive(0, bottom);
    }
    return (uint32_t)caught + 100;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 1; i < 8; i++) {
        sum += catch_dive(i * 2);
        sum += retry(i);
    }
    print_number("sum ", sum);
    print_number("attempts ", attempts);
    return 0;
}
