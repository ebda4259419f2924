// Seven tasks that an interrupt switches, some of them asleep now and then, one that ends again and
// again and gets its stack anew, two that share their code, one that runs privileged. Handlers let
// interrupts in.
#include "rtos.h"

enum { CALL_YIELD = 1, CALL_SLEEP = 2, CALL_END = 3, TICKS_MAX = 60 };

struct task tasks[TASK_COUNT];
struct task *current_task;
static uintptr_t stacks[TASK_COUNT][STACK_WORDS] __attribute__((aligned(16)));
static volatile uint32_t ticks, nesting, deepest, checksum, ended;

static NOINLINE uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t is_odd(uint32_t n);

static NOINLINE uint32_t is_even(uint32_t n)
{
    return n == 0 ? checksum : is_odd(n - 1);
}

static NOINLINE uint32_t is_odd(uint32_t n)
{
    return n == 0 ? ~checksum : is_even(n - 1);
}

static NOINLINE int ascending(uint32_t a, uint32_t b)
{
    return a > b;
}

static NOINLINE int descending(uint32_t a, uint32_t b)
{
    return a < b;
}

static NOINLINE void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static NOINLINE void sort(uint32_t *values, unsigned count, int (*after)(uint32_t, uint32_t))
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = i; j > 0 && after(values[j - 1], values[j]); j--) {
            swap(&values[j - 1], &values[j]);
        }
    }
}

static NOINLINE void wake(struct task *task)
{
    task->ticks_to_sleep--;
}

static NOINLINE void tick(void)
{
    ticks++;
    for (unsigned i = 0; i < TASK_COUNT; i++) {
        if (tasks[i].ticks_to_sleep != 0) {
            wake(&tasks[i]);
        }
    }
}

uint32_t handle_interrupt(void)
{
    nesting++;
    deepest = nesting > deepest ? nesting : deepest;
    if (nesting < 3) {
        interrupts_on();
        tick();
        interrupts_off();
    }
    nesting--;
    return nesting == 0;
}

void schedule(void)
{
    struct task *task = current_task;
    do {
        task = task + 1 == tasks + TASK_COUNT ? tasks : task + 1;
    } while (task->ticks_to_sleep != 0);
    current_task = task;
}

static NOINLINE void begin(struct task *task)
{
    task_prepare(task, task->stack + STACK_WORDS, task->entry, task->is_privileged);
}

uint32_t handle_call(uint32_t number)
{
    if (number == CALL_SLEEP) {
        current_task->ticks_to_sleep = 3;
    } else if (number == CALL_END) {
        ended++;
        begin(current_task);
        return 2;
    }
    return 1;
}

static NOINLINE void sleep(void)
{
    kernel_call(CALL_SLEEP);
}

static void task_recursion(void)
{
    for (;;) {
        checksum += fibonacci(5);
    }
}

static void task_sorts(void)
{
    uint32_t values[8];
    for (uint32_t seed = 1;; seed++) {
        for (unsigned i = 0; i < 8; i++) {
            values[i] = seed * 2654435761u >> (i + 3);
        }
        sort(values, 8, seed % 2 ? ascending : descending);
        checksum ^= values[3];
        kernel_call(CALL_YIELD);
    }
}

static void task_tail_calls(void)
{
    for (uint32_t i = 0;; i++) {
        checksum += is_even(9 + i % 4);
        if (i % 4 == 3) {
            sleep();
        }
    }
}

static NOINLINE uint32_t deep(uint32_t levels)
{
    if (levels == 0) {
        sleep();
        return checksum;
    }
    uint32_t inner = deep(levels - 1);
    checksum += levels;
    return inner + levels;
}

static void task_worker(void)
{
    for (;;) {
        checksum += deep(4) + fibonacci(3);
    }
}

static void task_short(void)
{
    checksum += fibonacci(4);
    sleep();
    kernel_call(CALL_END);
}

static void task_idle(void)
{
    while (IS_ENDLESS || ticks < TICKS_MAX) {
        checksum += is_odd(2);
    }
    print_number("ticks ", ticks);
    print_number("ended ", ended);
    print_number("nested ", deepest);
    program_exit(0);
}

static NOINLINE void create(unsigned number, const char *name, void (*entry)(void))
{
    struct task *task = &tasks[number];
    task->name = name;
    task->entry = entry;
    task->stack = stacks[number];
    task->is_privileged = number == TASK_COUNT - 1;
    begin(task);
}

int main(void)
{
    create(0, "recursion", task_recursion);
    create(1, "sorts", task_sorts);
    create(2, "tail calls", task_tail_calls);
    create(3, "worker 1", task_worker);
    create(4, "worker 2", task_worker);
    create(5, "short", task_short);
    create(6, "idle", task_idle);
    current_task = tasks;
    kernel_start();
    return 1;
}
