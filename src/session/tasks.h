// The tasks of a session's trace: their names, and which of them the filter selects.
#ifndef TRAWL_SESSION_TASKS_H
#define TRAWL_SESSION_TASKS_H

#include "session/session.h"

// The operating system of the trace: the one that session.os names, or that images have with the
// types of DWARF. *system is NULL if there is none; STATUS_INPUT if --os says what cannot be.
enum status session_find_os(struct session *session, const struct os_system **system,
                            struct error *err);

// Whether there is one. Then tasks are called what it calls them, which only an index can tell.
bool session_has_kernel(struct session *session);

// What an expression of it says at an event of a lane.
#define OS_VALUE_BYTES 64
struct os_value {
    bool has_meaning; // with the types of the images
    bool is_known;
    uint64_t number;
    char text[OS_VALUE_BYTES]; // the characters, if it is the address of some; otherwise "0x5"
};
enum status session_os_value(struct session *session, uint64_t lane, uint64_t event,
                             const char *expression, struct os_value *value, struct error *err);

// Names the tasks of the view as session.tasks: by session.task_expression if it has a value in a
// run of a task, otherwise as names/task_names.h does, with what the kernel calls them.
// STATUS_NOT_FOUND: the filter selects none of them.
enum status session_name_tasks_of_view(struct session *session, struct error *err);

// The same for the tasks of the last pass. If there is an expression, or a kernel, which only an
// index can evaluate, they were named by a view before.
enum status session_name_tasks(struct session *session, struct error *err);

// Whether the filter selects a task.
bool session_takes_task(struct session *session, const struct task_name *task);

#endif
