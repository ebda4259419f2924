// The tasks of an operating system, and their states over time.
#ifndef TRAWL_SESSION_OS_TASKS_H
#define TRAWL_SESSION_OS_TASKS_H

#include "flow/call_sink.h"
#include "session/tasks.h"

// A value that the variable of the running task has.
struct os_task_place {
    uint64_t address;
    uint64_t since; // the event at which it last got the value or lost it, up to that asked for
};
VEC(os_task_places, struct os_task_place);

// Finds the tasks that run anywhere in the trace, by `running`, the variable of the running one, or
// without it by the keys of tasks. STATUS_INPUT, STATUS_NOT_FOUND: it is no variable.
enum status os_tasks_find(struct session *session, const char *running, uint64_t event,
                          struct os_task_places *found, struct error *err);

// The tasks of the operating system that is known, with what it calls them at the end of the trace,
// or their addresses. None if no system is known, or there is no index.
struct os_named_task {
    uint64_t address;
    char name[OS_VALUE_BYTES];
};
VEC(os_named_tasks, struct os_named_task);
enum status os_tasks_name(struct session *session, struct os_named_tasks *tasks, struct error *err);

// Lines of a state that have a meaning with a kernel's types; more are not read.
enum { OS_MOST_STATES = 32 };

// The states of a task. `session` must outlive it. NULL: `err` has why.
struct os_states;
struct os_states *os_states_open(struct session *session, uint64_t task, struct error *err);
void os_states_close(struct os_states *states);

// The state after an event, a word of the table of systems (NULL: unknown), and the first event
// after it that may change it (UINT64_MAX: none). Fast if events ascend.
enum status os_states_at(struct os_states *states, uint64_t event, const char **word,
                         uint64_t *until, struct error *err);

// Receives the states of tasks: a new track, then one state after the other.
struct state_sink {
    void *self;
    bool (*lane)(void *self, const struct call_lane *lane);
    bool (*span)(void *self, uint64_t from, uint64_t until, const char *name);
};

// Gives those of all tasks in the range of --time, until the sink stops.
enum status os_states_give(struct session *session, const struct state_sink *sink,
                           struct error *err);

#endif
