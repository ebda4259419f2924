// A shared object that calls another one.
#include "shared.h"

namespace left_side
{
TRACED static long half(long value)
{
    return twice(value) / 3;
}
} // namespace left_side

TRACED long left(long depth)
{
    return depth > 0 ? right(depth - 1) + left_side::half(depth) : twice(1L);
}
