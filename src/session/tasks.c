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
static enum status read_text(const struct session *session, uint64_t event, uint64_t address,
                             char text[OS_VALUE_BYTES], struct error *err)
{
    uint8_t bytes[OS_VALUE_BYTES], known[OS_VALUE_BYTES];
    struct trawl_error from;
    size_t length = 0, room = (size_t)u64_min(OS_VALUE_BYTES - 1, UINT64_MAX - address);
    enum status status = index_status(
        index_view_memory(&session->view, event, address, room, bytes, known, &from), &from, err);
    while (status == STATUS_OK && length < room && known[length] && bytes[length])
        length++;
    memcpy(text, bytes, length);
    text[length] = '\0';
    return status;
}

// The value of the compiled expression.
static enum status value_at(struct naming *naming, uint64_t lane, uint64_t event,
                            struct os_value *value, struct error *err)
{
    struct session *session = naming->session;
    struct error why;
    struct point_registers registers = {
        .view = &session->view, .lane = lane, .event = event, .names = &session->names};
    enum status status = point_value(&naming->expression, &registers, &value->number, &why);
    value->is_known = status == STATUS_OK;
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    snprintf(value->text, sizeof value->text, "0x%llx", (unsigned long long)value->number);
    return naming->expression.is_text ? read_text(session, event, value->number, value->text, err)
                                      : STATUS_OK;
}

// Names a task by the value of the expression at an event, if that is known.
static enum status name_at(struct naming *naming, struct task_name *task,
                           const struct trawl_event *about, struct error *err)
{
    struct os_value value = {0};
    enum status status = compile(naming, about, err);
    if (status == STATUS_OK)
        status = value_at(naming, about->lane, about->event, &value, err);
    struct task_names *tasks = &naming->session->tasks;
    if (status == STATUS_OK && *value.text &&
        !(naming->is_typed ? task_names_set(tasks, task, value.text)
                           : task_names_label(tasks, task, value.text)))
        status = no_memory(naming->session, err);
    return status;
}

enum status session_os_value(struct session *session, uint64_t lane, uint64_t event,
                             const char *expression, struct os_value *value, struct error *err)
{
    struct naming naming = {.session = session, .text = expression};
    struct trawl_event about;
    *value = (struct os_value){0};
    enum status status = point_in_lane(&session->view, lane, event, &about, err);
    if (status == STATUS_OK)
        status = compile(&naming, &about, err);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    value->has_meaning = status == STATUS_OK;
    return status == STATUS_OK ? value_at(&naming, lane, event, value, err) : status;
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

enum status session_find_os(struct session *session, const struct os_system **system,
                            struct error *err)
{
    *system = NULL;
    return session->reading == READING_TRUE
               ? os_find(&session->os_table, &session->names, session->os, system, err)
               : STATUS_OK;
}

bool session_has_kernel(struct session *session)
{
    const struct os_system *system;
    struct error why;
    return session_find_os(session, &system, &why) == STATUS_OK && system;
}

// Tasks with keys: what each was called last, which is after it has begun another program.
static enum status label_by_key(struct session *session, const char *expression, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->tasks.items.count && status == STATUS_OK; i++) {
        struct task_name *task = &session->tasks.items.items[i];
        struct trawl_event last;
        char text[LIMIT_OS_EXPRESSION_BYTES], key[24];
        snprintf(key, sizeof key, "0x%llx", (unsigned long long)task->key);
        if (task->key >> 48 != 0xffff || !os_bind(text, expression, key, "0"))
            continue;
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
    const struct os_system *system;
    bool is_by_key;
    enum status status = session_find_os(session, &system, err);
    if (status != STATUS_OK || !system)
        return status;
    const char *expression = os_naming(&session->os_table, system, &session->names, &is_by_key);
    status = !expression ? STATUS_OK
             : is_by_key ? label_by_key(session, expression, err)
                         : name_by_expression(session, expression, false, err);
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
