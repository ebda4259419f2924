// A small preemptive kernel: what rtos.c and the vectors of each machine share.
#ifndef RTOS_H
#define RTOS_H

#include "lib.h"

enum { TASK_COUNT = 7, STACK_WORDS = 256 };

struct task {
    uintptr_t context[36]; // as the vectors keep it
    void (*entry)(void);
    const char *name;
    uintptr_t *stack;
    uint32_t ticks_to_sleep;
    bool is_privileged;
};

extern struct task tasks[TASK_COUNT];
extern struct task *current_task;

// By the machine: what makes a task begin at its entry, on its stack; the way to the first one, the
// call of the kernel, the mask of interrupts.
void task_prepare(struct task *task, uintptr_t *stack_end, void (*entry)(void), bool is_privileged);
void kernel_start(void);
uint32_t kernel_call(uint32_t number);
void interrupts_on(void);
void interrupts_off(void);

// By rtos.c, for the vectors. They return whether another task may have to run.
uint32_t handle_interrupt(void);
uint32_t handle_call(uint32_t number);
void schedule(void);

#endif
