// A function many times on the stack, two that call each other, and a deep chain.
#include "run.h"

TRACED static long fib(long n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

TRACED static long is_odd(long n);

TRACED static long is_even(long n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

TRACED static long is_odd(long n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

TRACED static long ackermann(long m, long n)
{
    if (m == 0)
        return n + 1;
    long inner = n == 0 ? 1 : ackermann(m, n - 1);
    return ackermann(m - 1, inner);
}

TRACED long body(long size)
{
    return fib(size) + is_even(3 * size) + ackermann(2, size / 3);
}
