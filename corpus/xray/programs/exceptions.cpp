// Exceptions: clang writes no exit of a function that is unwound. They are caught one call above
// the one that throws and three, and pass by an object whose destructor is traced.
#include "run.h"

struct Guard {
    long *released;
    TRACED ~Guard() { ++*released; }
};

TRACED static long check(long value)
{
    if (value % 3 == 0)
        throw value;
    return value / 3;
}

TRACED static long parse(long depth, long value, long *released)
{
    Guard guard{released};
    return depth ? parse(depth - 1, value, released) + 1 : check(value);
}

TRACED static long repair(long value)
{
    return -value;
}

TRACED static long attempt(long value, long *released)
{
    try {
        return parse(value % 4 == 1 ? 2 : 0, value, released);
    } catch (long thrown) {
        return repair(thrown);
    }
}

TRACED long body(long size)
{
    long sum = 0, released = 0;
    for (long i = 0; i < size; i++)
        sum += attempt(i, &released) + repair(i);
    return sum + released;
}
