#include "names/task_names.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TASK_NAME_BYTES 512

void task_names_free(struct task_names *tasks)
{
    free(tasks->items.items);
    arena_free(&tasks->arena);
    *tasks = (struct task_names){0};
}

bool task_names_add(struct task_names *tasks, uint64_t lane, const struct lane_task *task,
                    uint64_t root)
{
    size_t count = tasks->items.count;
    const struct task_name *last = count ? &tasks->items.items[count - 1] : NULL;
    uint64_t number = last && last->lane == lane ? last->number + 1 : 0;
    if (!VEC_ROOM(&tasks->items, 1))
        return false;
    tasks->items.items[tasks->items.count++] = (struct task_name){
        .lane = lane,
        .number = number,
        .stack = task->stack,
        .stack_low = task->stack_low,
        .entry = number ? task->entry : root,
        .key = task->key,
    };
    return true;
}

bool task_names_add_interrupts(struct task_names *tasks, uint64_t lane, uint64_t number)
{
    size_t at = tasks->items.count;
    while (at && tasks->items.items[at - 1].lane > lane)
        at--;
    if (at && tasks->items.items[at - 1].lane == lane &&
        tasks->items.items[at - 1].number == number)
        return true;
    if (!VEC_ROOM(&tasks->items, 1))
        return false;
    at = tasks->items.count++;
    for (; at && tasks->items.items[at - 1].lane > lane; at--)
        tasks->items.items[at] = tasks->items.items[at - 1];
    tasks->items.items[at] = (struct task_name){.lane = lane,
                                                .number = number,
                                                .stack = ADDRESS_UNKNOWN,
                                                .stack_low = ADDRESS_UNKNOWN,
                                                .entry = ADDRESS_UNKNOWN};
    return task_names_set(tasks, &tasks->items.items[at], TASK_NAME_INTERRUPTS);
}

bool task_names_label(struct task_names *tasks, struct task_name *task, const char *label)
{
    task->label = arena_copy_string(&tasks->arena, label, strlen(label));
    return task->label != NULL;
}

bool task_names_set(struct task_names *tasks, struct task_name *task, const char *name)
{
    task->name = arena_copy_string(&tasks->arena, name, strlen(name));
    return task->name != NULL;
}

// Whether a task was first seen in the middle of a function.
static bool is_seen_late(const struct names *names, const struct task_name *task)
{
    struct image_symbol place;
    return task->key && task->entry != ADDRESS_UNKNOWN &&
           image_set_by_address(&names->images, task->entry & ~UINT64_C(1), &place) &&
           place.address != (task->entry & ~UINT64_C(1));
}

// What a task is called: by its kernel, or by the function that it begins with.
static const char *label_of(const struct task_names *tasks, struct names *names,
                            const struct task_name *task)
{
    if (task->label)
        return task->label;
    // The descriptor of the task in which Linux boots, and then idles.
    if (task->key && strcmp(names_of(names, task->key), "init_task") == 0)
        return "idle";
    // A task that was far down its calls when the trace began is one anew each time that a function
    // of these returns. All of them have its key, and are called as the last, which is farthest
    // out.
    const struct task_name *of = task;
    for (size_t i = 0; is_seen_late(names, task) && i < tasks->items.count; i++) {
        const struct task_name *other = &tasks->items.items[i];
        if (other->lane == task->lane && other->key == task->key && is_seen_late(names, other))
            of = other;
    }
    return of->entry == ADDRESS_UNKNOWN ? "" : names_of_root(names, of->entry);
}

// Whether another task of the lane, on another stack, is called the same.
static bool is_shared(const struct task_names *tasks, struct names *names,
                      const struct task_name *task, const char *label)
{
    for (size_t i = 0; i < tasks->items.count; i++) {
        const struct task_name *other = &tasks->items.items[i];
        if (other->lane == task->lane && other->stack != task->stack &&
            strcmp(label_of(tasks, names, other), label) == 0)
            return true;
    }
    return false;
}

bool task_names_make(struct task_names *tasks, struct names *names)
{
    bool has_memory = true;
    for (size_t i = 0; i < tasks->items.count && has_memory; i++) {
        char text[TASK_NAME_BYTES];
        if (tasks->items.items[i].name)
            continue;
        const struct task_name *task = &tasks->items.items[i];
        const char *label = label_of(tasks, names, task);
        const uint64_t known_by = task->key ? task->key : task->stack;
        if (*label && !task->key &&
            (task->stack == ADDRESS_UNKNOWN || !is_shared(tasks, names, task, label)))
            snprintf(text, TASK_NAME_BYTES, "%s", label);
        else if (*label)
            snprintf(text, TASK_NAME_BYTES, "%.*s 0x%" PRIx64, TASK_NAME_BYTES - 20, label,
                     known_by);
        else if (known_by != ADDRESS_UNKNOWN)
            snprintf(text, TASK_NAME_BYTES, "task 0x%" PRIx64, known_by);
        else
            snprintf(text, TASK_NAME_BYTES, "task %" PRIu64, task->number);
        has_memory = task_names_set(tasks, &tasks->items.items[i], text);
    }
    return has_memory && !names->lacks_memory;
}

const struct task_name *task_names_find(const struct task_names *tasks, uint64_t lane,
                                        uint64_t number)
{
    const struct task_name *names = tasks->items.items;
    size_t first;
    PARTITION_POINT(first, tasks->items.count,
                    names[middle].lane < lane ||
                        (names[middle].lane == lane && names[middle].number < number));
    ASSERT(first < tasks->items.count);
    return &tasks->items.items[first];
}

static int compare_names(const void *a_item, const void *b_item)
{
    const struct task_name *a = *(const struct task_name *const *)a_item,
                           *b = *(const struct task_name *const *)b_item;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

void task_names_sort(const struct task_names *tasks, uint64_t lane, size_t count,
                     const struct task_name **sorted)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = task_names_find(tasks, lane, i);
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_names);
}

bool task_is_called(const struct task_name *task, const char *wanted)
{
    return strcmp(task->name, wanted) == 0 || fnmatch(wanted, task->name, 0) == 0;
}

bool task_has_in_stack(const struct task_name *task, uint64_t address)
{
    if (task->key && task->key == address)
        return true;
    return task->stack != ADDRESS_UNKNOWN &&
           (address == task->stack || (address >= task->stack_low && address < task->stack));
}
