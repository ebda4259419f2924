// Functions that log their first argument: numbers, negative ones, `this`, from inside others.
#include "run.h"

#define LOGGED [[clang::xray_always_instrument, clang::xray_log_args(1), gnu::noinline]]

struct Counter {
    long count = 0;

    LOGGED long advance(long by) { return count += by; }
};

LOGGED static long collatz(long n)
{
    if (n == 1)
        return 0;
    return 1 + collatz(n % 2 ? 3 * n + 1 : n / 2);
}

LOGGED static long signed_one(int value)
{
    return value < 0 ? -value : value;
}

TRACED static long plain(long value)
{
    return value & 3;
}

TRACED long body(long size)
{
    Counter counter;
    for (long n = 1; n < size; n++) {
        counter.advance(collatz(n));
        counter.advance(plain(signed_one(static_cast<int>(-n))));
    }
    return counter.count;
}
