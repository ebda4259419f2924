// The profiling mode: threads with the same stacks, a recursion, calls that an exception passes,
// and the end of the profile within a call.
#include "run.h"

static volatile long sink;

TRACED static void leaf(long rounds)
{
    for (long i = 0; i < rounds; i++)
        sink = sink + i;
}

TRACED static long recurse(long depth)
{
    leaf(20);
    return depth ? recurse(depth - 1) + 1 : 0;
}

TRACED static void fail(long number)
{
    leaf(200);
    if (number % 24 == 11)
        throw number;
}

TRACED static void attempt(long number)
{
    fail(number);
}

TRACED static void serve(long size)
{
    for (long i = 0; i < size; i++) {
        try {
            attempt(i);
        } catch (long) {
            leaf(50);
        }
        if (i % 4 == 0)
            recurse(3);
    }
}

TRACED long body(long size)
{
    std::thread one(serve, size), two(serve, size / 2);
    one.join();
    two.join();
    leaf(1000);
    log_end();
    return 0;
}
