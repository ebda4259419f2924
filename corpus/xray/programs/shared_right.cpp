// A shared object with more functions than the program and the other one.
#include "shared.h"

namespace right_side
{
TRACED static long third(long value)
{
    return twice(value) / 3;
}

TRACED static int narrow(long value)
{
    return twice(static_cast<int>(value));
}

TRACED static long collatz(long value)
{
    return value < 2 ? 0 : 1 + collatz(value % 2 ? 3 * value + 1 : value / 2);
}
} // namespace right_side

TRACED long right(long depth)
{
    long sum = right_side::third(depth) + right_side::narrow(depth);
    return sum + right_side::collatz(depth + 5);
}
