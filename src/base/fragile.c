#include "base/fragile.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

// How many marked blocks the thread is in.
static _Thread_local volatile int depth;

// Set once, before there are threads: what faults and aborts came to before.
static struct sigaction segv_before, abort_before;

int fragile_enter(void)
{
    return ++depth;
}

void fragile_leave(const int *mark)
{
    (void)mark;
    depth--;
}

// Does only what a handler may.
static void on_fault(int number, siginfo_t *info, void *context)
{
    static const char text[] = "trawl: debugging information cannot be read: libdw gave up, as it "
                               "does where there is no memory\n";
    (void)context;
    if (depth) {
        ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        (void)written; // if nobody can be told, the status still tells
        _exit(1);
    }
    sigaction(number, number == SIGSEGV ? &segv_before : &abort_before, NULL);
    if (info->si_code <= 0 || number == SIGABRT)
        raise(number); // a fault comes again by itself
}

void fragile_install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &segv_before);
    sigaction(SIGABRT, &action, &abort_before);
}
