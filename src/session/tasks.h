// The tasks of a session's trace: what they are called, and which of them the filter lets through.
#ifndef TRAWL_SESSION_TASKS_H
#define TRAWL_SESSION_TASKS_H

#include "session/session.h"

// Names the tasks of the view as session.tasks: by session.task_expression where that is known in a
// run of a task, else as analysis/task_names.h does. STATUS_NOT_FOUND: the filter lets none of them
// through.
enum status session_name_tasks_of_view(struct session *session, struct error *err);

// The same with the tasks of the last pass. Where there is an expression, which only an index can
// tell, they were named by a view before.
enum status session_name_tasks(struct session *session, struct error *err);

// Whether the filter lets a task through.
bool session_takes_task(const struct session *session, const struct task_name *task);

#endif
