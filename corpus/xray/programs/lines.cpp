// Calls into two other units and a header.
#include "lines.h"

TRACED static long fib(long n)
{
    return n < 2 ? doubled(n) : sum(fib(n - 1), fib(n - 2));
}

TRACED long work(long size)
{
    return other(size) + fib(size) + sum<int>(3, 4) + leaf(4);
}
