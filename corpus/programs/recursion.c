// Recursion: Fibonacci, Ackermann, the towers of Hanoi, and two functions that call each other.
#include "lib.h"

static NOINLINE uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t ackermann(uint32_t m, uint32_t n)
{
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static uint8_t pegs[3];

static NOINLINE uint32_t hanoi(uint32_t discs, uint8_t *from, uint8_t *to, uint8_t *spare)
{
    if (discs == 0) {
        return 0;
    }
    uint32_t moves = hanoi(discs - 1, from, spare, to);
    --*from;
    ++*to;
    return moves + 1 + hanoi(discs - 1, spare, to, from);
}

static NOINLINE uint32_t is_odd(uint32_t n, volatile uint32_t *steps);

static NOINLINE uint32_t is_even(uint32_t n, volatile uint32_t *steps)
{
    uint32_t result = n == 0 ? 1 : is_odd(n - 1, steps);
    ++*steps; // after the call, so that it is no tail call
    return result;
}

static NOINLINE uint32_t is_odd(uint32_t n, volatile uint32_t *steps)
{
    uint32_t result = n == 0 ? 0 : is_even(n - 1, steps);
    ++*steps;
    return result;
}

int main(void)
{
    volatile uint32_t steps = 0;
    pegs[0] = 4;
    do {
        print_number("fibonacci ", fibonacci(8));
        print_number("ackermann ", ackermann(2, 2));
        print_number("hanoi ", hanoi(4, &pegs[0], &pegs[1], &pegs[2]));
        print_number("even ", is_even(12, &steps));
        print_number("steps ", steps);
    } while (IS_ENDLESS);
    return 0;
}
