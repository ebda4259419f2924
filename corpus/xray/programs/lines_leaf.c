/* A unit in C. */
#include "lines.h"

TRACED long leaf(long n)
{
    return n + 1;
}
