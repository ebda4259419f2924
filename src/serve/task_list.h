// The tasks of a trace's operating system with their names: found once, as that takes a walk over
// all task switches, by the first request that asks, while others wait.
#ifndef TRAWL_SERVE_TASK_LIST_H
#define TRAWL_SERVE_TASK_LIST_H

#include "session/os_tasks.h"

#include <pthread.h>

struct task_list {
    pthread_mutex_t lock;
    bool is_known;
    struct os_named_tasks tasks;
};

void task_list_init(struct task_list *list);
void task_list_free(struct task_list *list);

// The tasks, which stay. `session`: of the request. STATUS_NOT_FOUND: no system is known.
enum status task_list_get(struct task_list *list, struct session *session,
                          const struct os_named_tasks **tasks, struct error *err);

#endif
