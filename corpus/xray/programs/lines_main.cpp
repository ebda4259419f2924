// Compiled without debug information: its functions have no lines.
#include "run.h"

long work(long size);

TRACED long body(long size)
{
    return work(size);
}
