#include "base/fragile.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

// The message of the innermost marked block of this thread; NULL: there is none.
static _Thread_local const char *volatile line;
static _Thread_local volatile size_t line_length;

// The previous handlers; set once, before there are threads.
static struct sigaction segv_before, abort_before;

struct fragile_mark fragile_enter(const char *told, size_t length)
{
    const struct fragile_mark around = {line, line_length};
    line_length = length;
    line = told;
    return around;
}

void fragile_leave(const struct fragile_mark *mark)
{
    line = mark->told;
    line_length = mark->length;
}

// Calls only what a signal handler may call.
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (line) {
        ssize_t written = write(STDERR_FILENO, line, line_length);
        (void)written; // the exit status still reports it
        _exit(1);
    }
    sigaction(number, number == SIGSEGV ? &segv_before : &abort_before, NULL);
    if (info->si_code <= 0 || number == SIGABRT)
        raise(number); // a fault occurs again by itself
}

void fragile_install(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &segv_before);
    sigaction(SIGABRT, &action, &abort_before);
}
