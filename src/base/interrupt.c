#include "base/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

// A handler reaches only what is static.
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

bool interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    if (atomic_load(&event_fd) >= 0)
        return true;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return false;
    atomic_store(&event_fd, fd);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        // What whoever started us ignores, as a shell does for jobs without control, stays ignored.
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    return true;
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
