#include "base/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

// A signal handler can use only static data.
static atomic_bool is_asked;
static atomic_int event_fd = -1;

static const int numbers[] = {SIGINT, SIGTERM};

static void on_signal(int number)
{
    const uint64_t one = 1;
    int error_number = errno;
    (void)number;
    atomic_store(&is_asked, true);
    (void)!write(atomic_load(&event_fd), &one, sizeof one);
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        signal(numbers[i], SIG_DFL);
    errno = error_number;
}

bool interrupt_catch(enum interrupt_signals signals)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    size_t count = signals == INTERRUPT_BY_KEY ? 1 : ARRAY_COUNT(numbers);
    if (atomic_load(&event_fd) < 0)
        atomic_store(&event_fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (atomic_load(&event_fd) < 0)
        return false;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < count && !interrupt_is_asked(); i++) {
        // A signal that the parent process ignores stays ignored, for example in a shell without
        // job control.
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    return true;
}

void interrupt_let_go(void)
{
    struct sigaction now;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(numbers[i], SIG_DFL);
    }
}

bool interrupt_is_caught(void)
{
    struct sigaction now;
    return sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == on_signal;
}

bool interrupt_is_asked(void)
{
    return atomic_load_explicit(&is_asked, memory_order_relaxed);
}

int interrupt_fd(void)
{
    return atomic_load(&event_fd);
}

void interrupt_leave(void)
{
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        signal(numbers[i], SIG_IGN);
}
