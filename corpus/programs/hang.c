// A program that hangs deep down: the run is cut short with all these frames open.
#include "lib.h"

static volatile uint32_t flag, polls;

static NOINLINE void wait_for_flag(void)
{
    while (flag == 0) {
        polls++;
    }
}

static NOINLINE uint32_t transfer(uint32_t block)
{
    if (block == 5) {
        wait_for_flag(); // nobody ever sets it
    }
    return block * 2;
}

static NOINLINE uint32_t copy_blocks(uint32_t first, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = first; i < first + count; i++) {
        sum += transfer(i);
    }
    return sum;
}

static NOINLINE uint32_t tree(uint32_t depth, uint32_t first)
{
    if (depth == 0) {
        return copy_blocks(first, 2);
    }
    uint32_t left = tree(depth - 1, first * 2);
    return left + tree(depth - 1, first * 2 + 1);
}

int main(void)
{
    print_number("sum ", tree(3, 0));
    return 0;
}
