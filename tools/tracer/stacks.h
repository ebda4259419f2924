// The true call stack of each task at every instruction, according to the program itself.
//
// Nothing is guessed: calls, returns and branches are those that the engine executed; functions are
// the compiler's symbols; the current task is what the program's scheduler stores in its variable
// `current_task`; the target of a long jump is what was recorded when its buffer was filled. Any
// contradiction ends the run: a return to another place or with another SP than its call left, a
// task that continues elsewhere than it stopped, a branch into the middle of a function.
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
    uint64_t return_address; // 0: it does not return
    uint64_t sp;             // at entry
} stack_frame_t;

typedef struct {
    uint64_t id; // the value of `current_task`; 0: before there are tasks
    uint32_t depth;
    uint64_t left_pc, left_sp; // where it continues, while another one runs
    stack_frame_t *frames;
} stack_task_t;

// The target of a long jump.
typedef struct {
    uint64_t buffer, return_address;
    uint32_t task, depth;
} jump_buffer_t;

typedef struct {
    FILE *file; // NULL: not requested
    bool failed;
    stack_task_t tasks[STACKS_TASKS_MAX];
    uint32_t task_count, current;
    uint64_t current_task; // address of the program's variable; 0: it has none
    jump_buffer_t buffers[STACKS_BUFFERS_MAX];
    uint32_t buffer_count;
    uint64_t jumped_buffer; // the argument of the current long jump
} stacks_t;

struct core;
struct machine;

bool stacks_open(stacks_t *stacks, const struct machine *machine);

// To be called after every step that is not a plain instruction, as for the shadow stack.
void stacks_step(struct core *core);

// An exception was entered; it returns to the instruction `resume`.
void stacks_exception(struct core *core, uint64_t target, uint64_t resume, uint64_t sp);

// An exception returned to `pc` with SP `sp`; `to_thread`: to thread level, where tasks run.
void stacks_exception_return(struct core *core, uint64_t pc, uint64_t sp, bool to_thread);

// M profile: an exception begins where another one ends.
void stacks_exception_chained(struct core *core, uint64_t target);

bool stacks_close(stacks_t *stacks);

#endif
