// Faults of tasks and interrupts, each in a line whose comment says which: as faults.c, on the
// kernel of rtos.c's vectors.
//
// Interrupts switch tasks at any time, but not within the heap. A task posts what the next
// interrupt is to do.
#include "faults.h"
#include "rtos.h"

enum { CALL_YIELD = 1, WORKERS = 4, IDLE = TASK_COUNT - 1, STAGES = 6 };

struct task tasks[TASK_COUNT];
struct task *current_task;
static uintptr_t stack_0[STACK_WORDS], stack_1[STACK_WORDS], stack_2[STACK_WORDS],
    idle_stack[STACK_WORDS];
static uintptr_t *spare_stack, *stack_3; // blocks, of which the second is too small
static volatile uint32_t sink, nesting, stage, ended;
static void (*volatile posted)(void);

// --- A kernel ------------------------------------------------------------------------------------

uint32_t handle_interrupt(void)
{
    if (nesting++ == 0 && posted && !heap_users) {
        void (*function)(void) = posted;
        posted = NULL;
        function();
    }
    return --nesting == 0;
}

uint32_t handle_call(uint32_t number)
{
    return number != 0;
}

void schedule(void)
{
    while (!heap_users) {
        current_task = current_task + 1 == tasks + TASK_COUNT ? tasks : current_task + 1;
        if (current_task->entry) {
            return;
        }
    }
}

void wait_for_others(void)
{
    kernel_call(CALL_YIELD);
}

static NOINLINE void interrupt_with(void (*function)(void))
{
    posted = function;
    while (posted) {
        wait_for_others();
    }
}

static NOINLINE void wait_for_stage(uint32_t number)
{
    while (stage < number) {
        wait_for_others();
    }
}

static NOINLINE void end_task(void)
{
    ended++;
    for (;;) {
        wait_for_others();
    }
}

// --- Values --------------------------------------------------------------------------------------

struct message {
    uint32_t number, text[3];
};

static struct message queue;

static NOINLINE void send(void)
{
    struct message message;
    message.number = 1;
    if (!FAULTY) {
        message.text[1] = 4;
    }
    LAUNDER(message);
    queue.number = message.number;
    queue.text[1] = message.text[1];
}

static NOINLINE void receive(void)
{
    struct message message = queue;
    LAUNDER(message);
    if (message.number == 9) {
        sink = 1;
    }
    if (message.text[1] == 9) { // -> undefined-decision
        sink = 2;
    }
}

static NOINLINE void interrupt_undefined(void)
{
    uint32_t state[2];
    state[0] = 1;
    if (!FAULTY) {
        state[1] = 2;
    }
    LAUNDER(state);
    if (state[0] == 5) {
        sink = 3;
    }
    if (state[1] == 5) { // -> undefined-decision
        sink = 4;
    }
}

// --- Stacks --------------------------------------------------------------------------------------

static volatile uint32_t *transfer;

// Far enough below the stack pointer of later that no interrupt saves registers there.
static NOINLINE void begin_transfer(void)
{
    volatile uint32_t buffer[104];
    for (int i = 0; i < 4; i++) {
        buffer[i] = 7;
    }
    transfer = buffer;
}

static NOINLINE void interrupt_dead(void)
{
    sink = transfer[2]; // -> dead-frame
}

static NOINLINE void transfer_to_frame(void)
{
    static volatile uint32_t good[4];
    begin_transfer();
    if (!FAULTY) {
        transfer = good;
    }
    interrupt_with(interrupt_dead);
}

static NOINLINE void read_dead_of_other(void)
{
    sink = transfer[1]; // -> dead-frame
}

static NOINLINE uint32_t go_down(uint32_t depth)
{ // -> stack-overflow
    uint32_t local[16];
    local[depth & 15] = depth;
    LAUNDER(local);
    return depth ? go_down(depth - 1) + local[depth & 15] : 0;
}

// --- The heap ------------------------------------------------------------------------------------

static uint32_t *buffer;

static NOINLINE void interrupt_freed(void)
{
    sink = buffer[3]; // -> use-after-free
}

static NOINLINE void free_in_use(void)
{
    buffer = malloc(104);
    for (int i = 0; i < 26; i++) {
        buffer[i] = 0;
    }
    if (FAULTY) {
        free(buffer);
    }
    interrupt_with(interrupt_freed);
    if (!FAULTY) {
        free(buffer);
    }
}

static NOINLINE void interrupt_past_block(void)
{
    for (int i = 0; i < 4 + FAULTY; i++) {
        buffer[i] = 1; // -> past-block
    }
}

static NOINLINE void fill_in_interrupt(void)
{
    buffer = malloc(16);
    interrupt_with(interrupt_past_block);
    free(buffer);
}

static void *shared;

static NOINLINE void make_shared(void)
{
    shared = malloc(120);
    free(shared);
}

static NOINLINE void free_shared(void)
{
    if (FAULTY) {
        free(shared); // -> double-free
    }
}

static NOINLINE void leak_of_task(void)
{
    void *volatile block = malloc(136); // -> leak
    if (!FAULTY) {
        free(block);
    }
    block = NULL;
}

// --- Locks ---------------------------------------------------------------------------------------

static struct lock lock_a, lock_b, lock_c, lock_d, lock_e, lock_f;

static NOINLINE void take_both(struct lock *first, struct lock *second)
{
    mutex_lock(first);
    mutex_lock(second); // -> lock-order
    mutex_unlock(second);
    mutex_unlock(first);
}

static NOINLINE void release_others(void)
{
    if (FAULTY) {
        mutex_unlock(&lock_c); // -> others-lock
    }
}

static NOINLINE void interrupt_release(void)
{
    mutex_unlock(&lock_d); // -> others-lock
}

static NOINLINE void take_and_interrupt(void)
{
    mutex_lock(&lock_d);
    if (FAULTY) {
        interrupt_with(interrupt_release);
    } else {
        mutex_unlock(&lock_d);
    }
}

static NOINLINE void interrupt_unlock(void)
{
    mutex_unlock(&lock_a); // -> unlock
}

static NOINLINE void sleep_with_lock(void)
{
    mutex_lock(&lock_b);
    if (!FAULTY) {
        mutex_unlock(&lock_b);
    }
    usleep(2); // -> held-waiting
    if (FAULTY) {
        mutex_unlock(&lock_b);
    }
}

static NOINLINE void take_and_forget(void)
{
    mutex_lock(&lock_f); // -> still-held
    sink = 5;
    if (!FAULTY) {
        mutex_unlock(&lock_f);
    }
}

static NOINLINE void take_again(void)
{
    mutex_lock(&lock_e);
    if (FAULTY) {
        mutex_lock(&lock_e); // -> relock
    }
    mutex_unlock(&lock_e);
}

// --- Tasks ---------------------------------------------------------------------------------------

static void task_sender(void)
{
    send();
    make_shared();
    mutex_lock(&lock_c);
    stage = 1;
    wait_for_stage(2);
    if (!FAULTY) {
        mutex_unlock(&lock_c);
    }
    interrupt_with(interrupt_undefined);
    transfer_to_frame();
    stage = 3;
    wait_for_stage(4);
    take_both(&lock_a, &lock_b);
    stage = 5;
    end_task();
}

static void task_receiver(void)
{
    wait_for_stage(1);
    receive();
    free_shared();
    release_others();
    stage = 2;
    wait_for_stage(3);
    read_dead_of_other();
    stage = 4;
    wait_for_stage(5);
    take_both(FAULTY ? &lock_b : &lock_a, FAULTY ? &lock_a : &lock_b);
    stage = STAGES;
    end_task();
}

static void task_heap(void)
{
    wait_for_stage(STAGES);
    free_in_use();
    fill_in_interrupt();
    leak_of_task();
    take_and_interrupt();
    if (FAULTY) {
        interrupt_with(interrupt_unlock);
    }
    stage = STAGES + 1;
    end_task();
}

static void task_deep(void)
{
    wait_for_stage(STAGES + 1);
    sleep_with_lock();
    take_and_forget();
    sink = go_down(FAULTY ? sizeof stack_0 / 64 : 2);
    ended += FAULTY;
    take_again();
    end_task();
}

static void task_idle(void)
{
    while (ended < WORKERS) {
    }
    program_exit(0);
}

static NOINLINE void create(unsigned number, const char *name, void (*entry)(void),
                            uintptr_t *stack)
{
    struct task *task = &tasks[number];
    task->name = name;
    task->entry = entry;
    task->stack = stack;
    task->is_privileged = number == IDLE;
    task_prepare(task, stack + STACK_WORDS, entry, task->is_privileged);
}

int main(void)
{
    create(0, "sender", task_sender, stack_0);
    create(1, "receiver", task_receiver, stack_1);
    create(2, "heap", task_heap, stack_2);
    spare_stack = malloc(sizeof stack_0);
    stack_3 = malloc(sizeof stack_0);
    create(3, "deep", task_deep, stack_3);
    create(IDLE, "idle", task_idle, idle_stack);
    current_task = tasks;
    kernel_start();
    return 1;
}
