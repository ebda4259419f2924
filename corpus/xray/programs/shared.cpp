// A program and two shared objects, all of them instrumented: an id has the number of the object
// above that of the function.
#include "shared.h"
#include "run.h"

TRACED long body(long size)
{
    long sum = 0;
    for (long i = 0; i < size; i++)
        sum += left(i % 3) + twice(right(i));
    return sum;
}
