// Exceptions: supervisor calls, and interrupts that the tracer injects, into code at two levels of
// privilege with a stack for each. The vectors and the way down are in exceptions_*.S.
#include "lib.h"

uint32_t call_supervisor(uint32_t number, uint32_t argument);
void exceptions_open(void);
void run_unprivileged(void (*function)(void));

static volatile uint32_t interrupts, calls, total;

static NOINLINE uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE void acknowledge(uint32_t source)
{
    interrupts += source;
}

// Called by the vectors.
void handle_interrupt(void)
{
    acknowledge(1);
    total ^= interrupts * 0x01010101u;
}

static NOINLINE uint32_t service(uint32_t number, uint32_t argument)
{
    calls++;
    return number == 1 ? argument * 2 : fibonacci(argument & 7);
}

uint32_t handle_call(uint32_t number, uint32_t argument)
{
    return service(number, argument);
}

static NOINLINE uint32_t work(uint32_t rounds)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        sum += fibonacci(5);
        sum ^= call_supervisor(1 + i % 2, i);
    }
    return sum;
}

static void user_main(void)
{
    do {
        total += work(6);
    } while (IS_ENDLESS);
    print_number("interrupts ", interrupts);
    print_number("calls ", calls);
    program_exit(0);
}

int main(void)
{
    exceptions_open();
    total += work(4);
    run_unprivileged(user_main);
    return 1;
}
