// The names of the tasks of a trace: the function that a task begins with, with its stack if
// several tasks have the same one; without names the stack, "task 0x30002000"; or names supplied by
// the caller.
#ifndef TRAWL_ANALYSIS_TASK_NAMES_H
#define TRAWL_ANALYSIS_TASK_NAMES_H

#include "analysis/names.h"
#include "base/vec.h"
#include "flow/task_log.h"

struct task_name {
    uint64_t lane, number;
    uint64_t stack, stack_low, entry; // as in struct lane_task
    const char *name;                 // NULL: not yet
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

// Calls a task `name` from now on. False: no memory.
bool task_names_set(struct task_names *tasks, struct task_name *task, const char *name);

// Gives all that have none a name. False: no memory.
bool task_names_make(struct task_names *tasks, struct names *names);

// The task of that number, which is there.
const struct task_name *task_names_find(const struct task_names *tasks, uint64_t lane,
                                        uint64_t number);

// The first `count` tasks of a lane, which are there, in the order of their names, and of one name
// in that of their numbers.
void task_names_sort(const struct task_names *tasks, uint64_t lane, size_t count,
                     const struct task_name **sorted);

// Whether a task is the one called `wanted`, a name or pattern (* ? [...]), or has that address in
// its stack.
bool task_is_called(const struct task_name *task, const char *wanted);

#endif
