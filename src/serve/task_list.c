#include "serve/task_list.h"

#include <stdlib.h>

void task_list_init(struct task_list *list)
{
    *list = (struct task_list){0};
    pthread_mutex_init(&list->lock, NULL);
}

void task_list_free(struct task_list *list)
{
    pthread_mutex_destroy(&list->lock);
    free(list->tasks.items);
}

enum status task_list_get(struct task_list *list, struct session *session,
                          const struct os_named_tasks **tasks, struct error *err)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&list->lock);
    if (!list->is_known) {
        list->tasks.count = 0; // of an attempt that failed
        status = os_tasks_name(session, &list->tasks, err);
        list->is_known = status == STATUS_OK;
    }
    pthread_mutex_unlock(&list->lock);
    *tasks = &list->tasks;
    if (status == STATUS_OK && !list->tasks.count)
        return error_set(err, STATUS_NOT_FOUND,
                         "no operating system is known to run in this trace");
    return status;
}
