// A process that forks from a thread: the log of its child begins with a copy of the buffer that
// was being filled, goes on in it under the ids of the parent, and then under its own.
#include "run.h"

#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

TRACED static void leaf(long n)
{
    sink = sink + n;
}

TRACED static void work(long n)
{
    for (long i = 0; i < n; i++)
        leaf(i);
}

TRACED static void serve(long n)
{
    for (long i = 0; i < n; i++)
        work(10);
}

TRACED static void wait_for(pid_t child, long n)
{
    for (long i = 0; i < n; i++)
        work(20);
    waitpid(child, nullptr, 0);
}

TRACED long body(long size)
{
    serve(3);
    pid_t child = fork();
    if (child == 0) {
        serve(size);
        log_end();
        _exit(0);
    }
    wait_for(child, size);
    return child;
}
