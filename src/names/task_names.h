// The names of the tasks of a trace: the function that a task begins with, plus its stack if
// several tasks begin with the same one; without names the stack, "task 0x30002000"; if its system
// knows it by a key, that in place of the stack, always; or names given by the caller.
#ifndef TRAWL_NAMES_TASK_NAMES_H
#define TRAWL_NAMES_TASK_NAMES_H

#include "base/vec.h"
#include "flow/task_log.h"
#include "names/names.h"

struct task_name {
    uint64_t lane, number;
    uint64_t stack, stack_low, entry, key; // as in struct lane_task
    const char *label;                     // what the kernel calls it; NULL: not known
    const char *name;                      // NULL: not yet
};

// All zero is empty. Lane by lane, in the order of their numbers.
struct task_names {
    VEC(, struct task_name) items;
    struct arena arena;
};

void task_names_free(struct task_names *tasks);

// Adds the next task of a lane; the first one began at `root`. False: no memory.
bool task_names_add(struct task_names *tasks, uint64_t lane, const struct lane_task *task,
                    uint64_t root);

// Keeps what the kernel calls a task, for its name. False: no memory.
bool task_names_label(struct task_names *tasks, struct task_name *task, const char *label);

// Adds the interrupts of a lane, which has `number` tasks, as one more. False: no memory.
bool task_names_add_interrupts(struct task_names *tasks, uint64_t lane, uint64_t number);

// What they are called.
#define TASK_NAME_INTERRUPTS "interrupts"

// Names a task `name`. False: no memory.
bool task_names_set(struct task_names *tasks, struct task_name *task, const char *name);

// Names all tasks that have no name. False: no memory.
bool task_names_make(struct task_names *tasks, struct names *names);

// The task of that number, which must exist.
const struct task_name *task_names_find(const struct task_names *tasks, uint64_t lane,
                                        uint64_t number);

// The first `count` tasks of a lane, which must exist, sorted by name, then by number.
void task_names_sort(const struct task_names *tasks, uint64_t lane, size_t count,
                     const struct task_name **sorted);

// Whether `wanted` is a task's name, or a pattern (* ? [...]) that matches it.
bool task_is_called(const struct task_name *task, const char *wanted);

// Whether the address is in a task's stack, or is its key.
bool task_has_in_stack(const struct task_name *task, uint64_t address);

#endif
