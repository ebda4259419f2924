// The true call stack of each task at every instruction, from what the program itself knows.
//
// Nothing is guessed: calls, returns and branches are what the engine executed, functions are what
// the compiler's symbols say, the task that runs is what the program's scheduler has in its
// variable `current_task`, and where a long jump lands is what was kept when its buffer was filled.
// What does not come out exactly so (a return to another place or at another SP than its call left,
// a task that continues elsewhere than it stopped, a branch into the middle of a function) ends the
// run.
#ifndef TRACER_STACKS_H
#define TRACER_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    STACKS_TASKS_MAX = 32,
    STACKS_FRAMES_MAX = 4096,
    STACKS_BUFFERS_MAX = 16,
};

typedef enum { STACK_CALL, STACK_TAIL, STACK_EXCEPTION, STACK_TASK } stack_kind_t;

typedef struct {
    stack_kind_t kind;
    uint64_t entry;
    uint64_t return_address; // 0: returns nowhere
    uint64_t sp;             // at entry
} stack_frame_t;

typedef struct {
    uint64_t id; // what `current_task` holds; 0: before there are tasks
    uint32_t depth;
    uint64_t left_pc, left_sp; // where it continues, while another runs
    stack_frame_t *frames;
} stack_task_t;

// What a long jump goes back to.
typedef struct {
    uint64_t buffer, return_address;
    uint32_t task, depth;
} jump_buffer_t;

typedef struct {
    FILE *file; // NULL: it is not wanted
    bool failed;
    stack_task_t tasks[STACKS_TASKS_MAX];
    uint32_t task_count, current;
    uint64_t current_task; // address of the program's variable, 0: it has none
    jump_buffer_t buffers[STACKS_BUFFERS_MAX];
    uint32_t buffer_count;
    uint64_t jumped_buffer; // argument of the long jump that is under way
} stacks_t;

struct core;
struct machine;

bool stacks_open(stacks_t *stacks, const struct machine *machine);

// After every step that is no plain instruction, as for the shadow stack.
void stacks_step(struct core *core);

// An exception was entered: `resume` is the instruction that it goes back to.
void stacks_exception(struct core *core, uint64_t target, uint64_t resume, uint64_t sp);

// An exception was left for `pc`, with SP `sp` there; into thread level, where tasks run.
void stacks_exception_return(struct core *core, uint64_t pc, uint64_t sp, bool to_thread);

// M profile: another exception begins where one ends.
void stacks_exception_chained(struct core *core, uint64_t target);

bool stacks_close(stacks_t *stacks);

#endif
