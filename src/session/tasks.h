// The tasks of a session's trace: their names, and which of them the filter selects.
#ifndef TRAWL_SESSION_TASKS_H
#define TRAWL_SESSION_TASKS_H

#include "session/session.h"

// Whether the images have a kernel that is known to keep the names of its tasks, with the types of
// DWARF. Then tasks are called what it calls them, which only an index can tell.
bool session_has_kernel(struct session *session);

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
