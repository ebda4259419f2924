// Ends eight calls deep. A handler still writes the log, in which none of these returns; where the
// signal cannot be handled (SIZE is odd), the file has what was written before.
#include "run.h"

#include <csignal>
#include <unistd.h>

UNTRACED static void on_crash(int)
{
    __xray_unpatch();
    log_end();
    _exit(0);
}

TRACED static long work(long value)
{
    return value / 3;
}

TRACED static long descend(long depth, int signal_number)
{
    if (depth == 0)
        return raise(signal_number);
    return work(depth) + descend(depth - 1, signal_number) + 1;
}

TRACED long body(long size)
{
    long sum = 0;
    signal(SIGSEGV, on_crash);
    for (long i = 0; i < size; i++)
        sum += work(i);
    return sum + descend(8, size % 2 ? SIGKILL : SIGSEGV);
}
