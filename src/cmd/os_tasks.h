// The tasks of an operating system, and their states over time. Private to `trawl tasks` and `trawl
// export`.
#ifndef TRAWL_CMD_OS_TASKS_H
#define TRAWL_CMD_OS_TASKS_H

#include "cmd/query.h"
#include "session/tasks.h"

// A value that the variable of the running task has.
struct os_task_place {
    uint64_t address;
    uint64_t since; // the event at which it last got the value or lost it, up to command->event
};
VEC(os_task_places, struct os_task_place);

// Finds the tasks that run anywhere in the trace, by `running`, the variable of the running one, or
// without it by the keys of tasks. STATUS_INPUT, STATUS_NOT_FOUND: it is no variable.
enum status os_tasks_find(struct command *command, const char *running,
                          struct os_task_places *found, struct error *err);

// Receives the states of tasks: a new track, then one state after the other.
struct state_sink {
    void *self;
    bool (*lane)(void *self, const struct call_lane *lane);
    bool (*span)(void *self, uint64_t from, uint64_t until, const char *name);
};

// Gives those of all tasks in the range of --time. Nothing if no system is known. False: reported,
// or the sink stopped.
bool os_states_give(struct command *command, const struct state_sink *sink);

#endif
