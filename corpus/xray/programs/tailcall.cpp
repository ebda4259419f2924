// Chains of tail calls: each leaves its function by a jump, and the return goes past all of them.
#include "run.h"

#define TAIL [[clang::musttail]] return

TRACED static long finish(long value, long)
{
    return value ^ 0x55;
}

TRACED static long step_b(long value, long left);

TRACED static long step_a(long value, long left)
{
    if (left == 0)
        TAIL finish(value, left);
    TAIL step_b(value * 3, left - 1);
}

TRACED static long step_b(long value, long left)
{
    if (left == 0)
        TAIL finish(value + 1, left);
    TAIL step_a(value + 7, left - 1);
}

TRACED static long caller(long value)
{
    return step_a(value, value % 9) + step_b(value, value % 4) + finish(value, 0);
}

TRACED long body(long size)
{
    long sum = 0;
    for (long i = 0; i < size; i++)
        sum += caller(i);
    return sum;
}
