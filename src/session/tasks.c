#include "session/tasks.h"

#include "cli/suggest.h"
#include "query/point.h"
#include "session/view_filter.h"

#include <stdio.h>

static enum status no_memory(const struct session *session, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
}

bool session_takes_task(struct session *session, const struct task_name *task)
{
    const char *wanted = session->filter.task;
    struct typed_address *address = &session->filter.task_address;
    return !wanted || task_is_called(task, wanted) ||
           (session_knows_address(session, wanted, address) &&
            task_has_in_stack(task, address->value));
}

// --- Names by an expression ----------------------------------------------------------------------

#define NAME_BYTES 64
#define POINTER_TO_TEXT "*(char**)"
#define TEXT "(char*)"

// The number of runs of a task that are tried until the expression has a value in one.
#define RUNS_LOOKED_AT 64

struct naming {
    struct session *session;
    const char *text;
    bool is_typed;                // by the user, rather than of a known kernel
    struct expression expression; // for one instruction set
    uint32_t isa;
    bool is_parsed;
};

// Compiles the expression. What follows the casts that begin it counts in addresses, as it did when
// these were all the types that there were: "*(char**)(u32(current)+52)". All else is C, where
// characters are text.
static enum status compile(struct naming *naming, const struct trawl_event *about,
                           struct error *err)
{
    struct session *session = naming->session;
    const char *text = naming->text;
    struct point_names known = {.names = &session->names,
                                .index = session->view.index,
                                .isa = point_isa(&session->view, about)};
    bool is_cast = strncmp(text, POINTER_TO_TEXT, strlen(POINTER_TO_TEXT)) == 0 ||
                   strncmp(text, TEXT, strlen(TEXT)) == 0;
    if (naming->is_parsed && naming->isa == known.isa)
        return STATUS_OK;
    const struct expression_names names = point_c_names(&known, !is_cast);
    enum status status = expression_parse(&naming->expression, text, strlen(text), &names, err);
    naming->is_parsed = status == STATUS_OK;
    naming->isa = known.isa;
    if (status == STATUS_OK)
        return STATUS_OK;
    if (!naming->is_typed)
        return error_set(err, STATUS_NOT_FOUND, "this kernel's types are others");
    const struct error cause = *err;
    return error_set(err, STATUS_INPUT, "--task-name '%.200s': %s (character %llu)", text,
                     cause.text, (unsigned long long)cause.offset + 1);
}

// The text at an address, as far as it is known. "": unknown.
static enum status read_text(const struct naming *naming, uint64_t event, uint64_t address,
                             char name[NAME_BYTES], struct error *err)
{
    uint8_t bytes[NAME_BYTES], known[NAME_BYTES];
    struct trawl_error from;
    size_t length = 0, room = (size_t)u64_min(NAME_BYTES - 1, UINT64_MAX - address);
    enum status status = index_status(
        index_view_memory(&naming->session->view, event, address, room, bytes, known, &from), &from,
        err);
    while (status == STATUS_OK && length < room && known[length] && bytes[length])
        length++;
    memcpy(name, bytes, length);
    name[length] = '\0';
    return status;
}

// Names a task by the value of the expression at an event, if that is known.
static enum status name_at(struct naming *naming, struct task_name *task,
                           const struct trawl_event *about, struct error *err)
{
    struct error why;
    char name[NAME_BYTES];
    uint64_t value;
    struct session *session = naming->session;
    struct point_registers registers = {.view = &session->view,
                                        .lane = about->lane,
                                        .event = about->event,
                                        .names = &session->names};
    enum status status = compile(naming, about, err);
    if (status != STATUS_OK)
        return status;
    status = point_value(&naming->expression, &registers, &value, &why);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    snprintf(name, sizeof name, "0x%llx", (unsigned long long)value);
    if (naming->expression.is_text)
        status = read_text(naming, about->event, value, name, err);
    struct task_names *tasks = &session->tasks;
    if (status == STATUS_OK && *name &&
        !(naming->is_typed ? task_names_set(tasks, task, name)
                           : task_names_label(tasks, task, name)))
        status = no_memory(session, err);
    return status;
}

// Tries the runs of the task, from its first on.
static enum status name_task(struct naming *naming, struct task_name *task, struct error *err)
{
    const struct index_view *view = &naming->session->view;
    struct trawl_error from;
    struct trawl_task_run run;
    enum status status = STATUS_OK;
    unsigned looked_at = 0;
    for (uint64_t number = 0; status == STATUS_OK && !task->name && !task->label; number++) {
        struct trawl_event about;
        enum trawl_status found = trawl_task_run(view->index, task->lane, number, &run, &from);
        if (found == TRAWL_NOT_FOUND)
            break;
        status = index_status(found, &from, err);
        if (status != STATUS_OK || run.task != task->number)
            continue;
        if (looked_at++ == RUNS_LOOKED_AT)
            break;
        status = index_view_event_of_lane(view, task->lane, run.first, &about, err);
        if (status == STATUS_OK)
            status = name_at(naming, task, &about, err);
    }
    return status;
}

static enum status name_by_expression(struct session *session, const char *text, bool is_typed,
                                      struct error *err)
{
    struct naming naming = {.session = session, .text = text, .is_typed = is_typed};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->tasks.items.count && status == STATUS_OK; i++)
        status = name_task(&naming, &session->tasks.items.items[i], err);
    return status;
}

// --- Names by known kernels ----------------------------------------------------------------------

// Kernels that keep the names of their tasks, each with a variable that it has (docs/os.md).
static const struct kernel {
    const char *variable, *name; // of one with `after_key`, followed by a task's key
    const char *after_key;       // and by this; NULL: the name is that of the running task
    uint32_t isa;
} kernels[] = {
    {"pxCurrentTCB", "pxCurrentTCB->pcTaskName", NULL, 0},
    {"_tx_thread_current_ptr", "_tx_thread_current_ptr->tx_thread_name", NULL, 0},
    {"_kernel", "_kernel.cpus[0].current->name", NULL, 0},
    {"init_task", "((struct task_struct *)", ")->comm", ARCH_ISA_64},
};

enum { KERNEL_TEXT_BYTES = 80 };

static void kernel_text(char text[KERNEL_TEXT_BYTES], const struct kernel *kernel, uint64_t key)
{
    if (kernel->after_key)
        snprintf(text, KERNEL_TEXT_BYTES, "%s0x%llx%s", kernel->name, (unsigned long long)key,
                 kernel->after_key);
    else
        snprintf(text, KERNEL_TEXT_BYTES, "%s", kernel->name);
}

// NULL: none, or its types are not known.
static const struct kernel *find_kernel(struct session *session)
{
    struct image_symbol symbol;
    struct error why;
    for (size_t i = 0; session->reading == READING_TRUE && i < ARRAY_COUNT(kernels); i++) {
        struct point_names known = {.names = &session->names, .isa = kernels[i].isa};
        struct expression expression;
        char text[KERNEL_TEXT_BYTES];
        if (!image_set_by_name(&session->names.images, kernels[i].variable, &symbol))
            continue;
        kernel_text(text, &kernels[i], 0);
        const struct expression_names names = point_c_names(&known, true);
        if (names.types &&
            expression_parse(&expression, text, strlen(text), &names, &why) == STATUS_OK)
            return &kernels[i];
    }
    return NULL;
}

bool session_has_kernel(struct session *session)
{
    return find_kernel(session) != NULL;
}

// Tasks with keys: what each was called last, which is after it has begun another program.
static enum status label_by_key(struct session *session, const struct kernel *kernel,
                                struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->tasks.items.count && status == STATUS_OK; i++) {
        struct task_name *task = &session->tasks.items.items[i];
        struct trawl_event last;
        char text[KERNEL_TEXT_BYTES];
        if (task->key >> 48 != 0xffff)
            continue;
        kernel_text(text, kernel, task->key);
        struct naming naming = {.session = session, .text = text};
        status = index_view_event_of_lane(&session->view, task->lane,
                                          session->view.lanes[task->lane].events - 1, &last, err);
        if (status == STATUS_OK)
            status = name_at(&naming, task, &last, err);
    }
    return status;
}

static enum status label_by_kernel(struct session *session, struct error *err)
{
    const struct kernel *kernel = find_kernel(session);
    if (!kernel)
        return STATUS_OK;
    const enum status status = kernel->after_key
                                   ? label_by_key(session, kernel, err)
                                   : name_by_expression(session, kernel->name, false, err);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// --- All names -----------------------------------------------------------------------------------

static enum status no_task(const struct session *session, struct error *err)
{
    struct suggestion near;
    char text[SUGGEST_TEXT_BYTES];
    const char *wanted = session->filter.task;
    suggest_begin(&near, wanted, strlen(wanted));
    for (size_t i = 0; i < session->tasks.items.count; i++) {
        const char *name = session->tasks.items.items[i].name;
        suggest_offer(&near, name, strlen(name));
    }
    suggest_text(&near, text);
    if (!*text) {
        int used = snprintf(text, sizeof text, "; there %s",
                            session->tasks.items.count == 1 ? "is" : "are");
        for (size_t i = 0; i < session->tasks.items.count && i < SUGGESTIONS_MAX; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s '%.60s'", i ? "," : "",
                             session->tasks.items.items[i].name);
        if (session->tasks.items.count > SUGGESTIONS_MAX)
            snprintf(text + used, sizeof text - (size_t)used, " and %zu more",
                     session->tasks.items.count - SUGGESTIONS_MAX);
    }
    return error_set(err, STATUS_NOT_FOUND, "%s: no task is called '%.120s'%s", session->path,
                     wanted, text);
}

// Names all tasks that have no name, and searches for the task that the filter selects.
static enum status finish(struct session *session, struct error *err)
{
    if (!task_names_make(&session->tasks, &session->names))
        return no_memory(session, err);
    for (size_t i = 0; i < session->tasks.items.count; i++) {
        if (session_takes_task(session, &session->tasks.items.items[i]))
            return STATUS_OK;
    }
    const struct task_name interrupts = {.name = TASK_NAME_INTERRUPTS, .stack = ADDRESS_UNKNOWN};
    if (session->parts_interrupts && session_takes_task(session, &interrupts))
        return STATUS_OK;
    return session->tasks.items.count ? no_task(session, err) : STATUS_OK;
}

// Adds the tasks of a lane of the view.
static enum status add_lane(struct session *session, uint64_t lane, struct error *err)
{
    const struct index_view *view = &session->view;
    struct trawl_event root = {.pc = ADDRESS_UNKNOWN};
    enum status status = STATUS_OK;
    if (view->lanes[lane].root != TRAWL_NONE)
        status = index_view_event_of_lane(view, lane, view->lanes[lane].root, &root, err);
    for (uint64_t number = 0; status == STATUS_OK; number++) {
        struct trawl_error from;
        struct trawl_task about;
        enum trawl_status found = trawl_task(view->index, lane, number, &about, &from);
        if (found == TRAWL_NOT_FOUND)
            break;
        status = index_status(found, &from, err);
        const struct lane_task task = task_of_index(&about);
        if (status == STATUS_OK && !task_names_add(&session->tasks, lane, &task, root.pc))
            status = no_memory(session, err);
    }
    return status;
}

enum status session_name_tasks_of_view(struct session *session, struct error *err)
{
    enum status status = STATUS_OK;
    task_names_free(&session->tasks);
    for (uint64_t i = 0; i < session->view.info.lanes && status == STATUS_OK; i++)
        status = add_lane(session, i, err);
    if (status == STATUS_OK && session->task_expression)
        status = name_by_expression(session, session->task_expression, true, err);
    else if (status == STATUS_OK)
        status = label_by_kernel(session, err);
    return status == STATUS_OK ? finish(session, err) : status;
}

enum status session_name_tasks(struct session *session, struct error *err)
{
    const struct pass_result *result = &session->result;
    const bool are_named = session->task_expression || session->has_kernel; // by the view
    if (!are_named)
        task_names_free(&session->tasks);
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        uint64_t root = lane->has_root ? lane->root.pc : ADDRESS_UNKNOWN;
        for (size_t number = 0; number < lane->tasks.tasks.count; number++) {
            const struct lane_task *task = &lane->tasks.tasks.items[number];
            if (task->is_interrupts ? !task_names_add_interrupts(&session->tasks, i, number)
                                    : !are_named && !task_names_add(&session->tasks, i, task, root))
                return no_memory(session, err);
        }
    }
    return are_named ? STATUS_OK : finish(session, err);
}
