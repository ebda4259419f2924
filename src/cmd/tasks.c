// tasks: what each task of an operating system does at a point: its state, what it waits for, and
// who holds that.
//
// Which tasks there are is what the variable of the running task was in all of the trace, and where
// the machine tells them apart (Linux), their keys: so no list of the kernel has to be walked,
// which may be half changed at the point. What a task waits for says which objects there are:
// kernels keep no list of their mutexes and queues. The rest are lines of the system's table
// (session/os.h).
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/query.h"
#include "session/os_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct os_task {
    uint64_t address;
    uint64_t since;       // the event at which it last began to run or, if it does not, ended that
    struct os_value name; // "0x20000100" if it has none
    const char *state;    // NULL: no line has a condition that holds
    struct os_value priority, held;
    const char *kind; // of what it waits for; NULL: nothing
    uint64_t object;
    char object_name[OS_VALUE_BYTES];
    bool is_owned;
    uint64_t owner;
    uint64_t circle; // of tasks that wait for each other, from 1; 0: none
};

// A variable with an address.
struct pointing {
    uint64_t value;
    const char *name;
};

struct tasks {
    struct command common;
    const struct os_system *system;
    uint64_t lane; // whose registers expressions may have
    VEC(, struct os_task) items;
    VEC(, struct pointing) pointing; // by value
    bool has_pointing;
};

struct task_cells {
    const char *task, *state, *priority, *kind, *object_name, *owner;
    uint64_t address;
    const uint64_t *held, *time, *line, *object, *circle;
};

#define VALUE(name) FIELD_VALUE(struct task_cells, name)

static const struct field fields[] = {
    {"Task", "task", COLUMN_TEXT, VALUE(task)},
    {"Address", "address", COLUMN_ADDRESS, VALUE(address)},
    {"Priority", "priority", COLUMN_TEXT, VALUE(priority)},
    {"State", "state", COLUMN_TEXT, VALUE(state)},
    {"Since", "since_time", COLUMN_TICKS, VALUE(time)},
    {"Line", "since_line", COLUMN_LINE, VALUE(line)},
    {"Holds", "held", COLUMN_U64, VALUE(held)},
    {"Waits for", "waits_for", COLUMN_TEXT, VALUE(kind)},
    {"Object", "object", COLUMN_ADDRESS, VALUE(object)},
    {"Called", "object_name", COLUMN_TEXT, VALUE(object_name)},
    {"Owner", "owner", COLUMN_TEXT, VALUE(owner)},
    {"Deadlock", "deadlock", COLUMN_U64, VALUE(circle)},
};

static enum status no_memory(const struct tasks *tasks, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", tasks->common.session.path);
}

// --- Which tasks there are -----------------------------------------------------------------------

// NULL: no memory.
static struct os_task *task_at(struct tasks *tasks, uint64_t address)
{
    for (size_t i = 0; i < tasks->items.count; i++) {
        if (tasks->items.items[i].address == address)
            return &tasks->items.items[i];
    }
    if (!VEC_ROOM(&tasks->items, 1))
        return NULL;
    struct os_task *task = &tasks->items.items[tasks->items.count++];
    *task = (struct os_task){.address = address, .since = TRAWL_START};
    return task;
}

// Finds the tasks, and which of those with keys run.
static enum status find_tasks(struct tasks *tasks, const char *running, struct error *err)
{
    struct session *session = &tasks->common.session;
    struct os_task_places places = {0};
    enum status status = os_tasks_find(session, running, tasks->common.event, &places, err);
    for (size_t i = 0; status == STATUS_OK && i < places.count; i++) {
        struct os_task *task = task_at(tasks, places.items[i].address);
        if (task)
            task->since = places.items[i].since;
        else
            status = no_memory(tasks, err);
    }
    free(places.items);
    for (uint64_t lane = 0; status == STATUS_OK && !running && lane < session->view.info.lanes;
         lane++) {
        struct trawl_event about;
        struct trawl_error from;
        struct trawl_task_run run;
        status = point_in_lane(&session->view, lane, tasks->common.event, &about, err);
        if (status != STATUS_OK || about.event == TRAWL_START)
            continue;
        enum trawl_status found =
            trawl_task_run_at(session->view.index, lane, about.in_lane, &run, &from);
        if (found == TRAWL_OK && run.task < LIMIT_TASKS) {
            struct os_task *task =
                task_at(tasks, task_names_find(&session->tasks, lane, run.task)->key);
            if (task)
                task->state = "running";
        } else if (found != TRAWL_NOT_FOUND) {
            status = index_status(found, &from, err);
        }
    }
    return status;
}

// --- What the system's lines say -----------------------------------------------------------------

static enum status evaluate(struct tasks *tasks, const char *expression, uint64_t task,
                            uint64_t object, struct os_value *value, struct error *err)
{
    char text[LIMIT_OS_EXPRESSION_BYTES], of_task[24], of_object[24];
    *value = (struct os_value){0};
    snprintf(of_task, sizeof of_task, "0x%" PRIx64, task);
    snprintf(of_object, sizeof of_object, "0x%" PRIx64, object);
    return os_bind(text, expression, of_task, of_object)
               ? session_os_value(&tasks->common.session, tasks->lane, tasks->common.event, text,
                                  value, err)
               : STATUS_OK;
}

// The value of the first line of that key, and word, whose condition holds and whose expression is
// known. *line is NULL if there is none.
static enum status first_value(struct tasks *tasks, enum os_key key, const char *word,
                               uint64_t task, uint64_t object, const struct os_line **line,
                               struct os_value *value, struct error *err)
{
    const struct os_table *table = &tasks->common.session.os_table;
    enum status status = STATUS_OK;
    for (size_t at = 0;
         status == STATUS_OK && (*line = os_next(table, tasks->system, key, word, &at));) {
        *value = (struct os_value){.is_known = true, .number = 1};
        if ((*line)->condition)
            status = evaluate(tasks, (*line)->condition, task, object, value, err);
        if (status == STATUS_OK && value->is_known && value->number && (*line)->expression)
            status = evaluate(tasks, (*line)->expression, task, object, value, err);
        else if (value->is_known && !value->number)
            continue;
        if (status == STATUS_OK && value->is_known)
            return STATUS_OK;
    }
    *line = NULL;
    *value = (struct os_value){0};
    return status;
}

ORDER_BY(compare_pointing, struct pointing, value)

// The variables of the images that have an address, for names of what has none itself.
static enum status find_pointing(struct tasks *tasks, struct error *err)
{
    const struct command *command = &tasks->common;
    const struct index_view *view = query_view(command);
    const struct image_set *images = &command->session.names.images;
    for (size_t i = 0; i < images->members.count; i++) {
        const struct image_member *member = &images->members.items[i];
        const size_t pointer_bytes = image_class_bits(member->image) / 8;
        size_t count;
        const struct symbol *symbols = symbols_all(member->symbols, &count);
        for (size_t s = 0; s < count; s++) {
            uint8_t bytes[8], known[8];
            if (!symbols[s].is_data || symbols[s].size != pointer_bytes)
                continue;
            if (!VEC_ROOM(&tasks->pointing, 1))
                return no_memory(tasks, err);
            const uint64_t address = (symbols[s].address + member->offset) & member->address_mask;
            if (index_view_memory(view, command->event, address, pointer_bytes, bytes, known,
                                  NULL) != TRAWL_OK ||
                memchr(known, 0, pointer_bytes))
                continue;
            tasks->pointing.items[tasks->pointing.count++] = (struct pointing){
                point_number(bytes, pointer_bytes, view->info.options & TRAWL_BIG_ENDIAN),
                symbols[s].display};
        }
    }
    if (tasks->pointing.count)
        qsort(tasks->pointing.items, tasks->pointing.count, sizeof *tasks->pointing.items,
              compare_pointing);
    return STATUS_OK;
}

// Names an object: as its kernel does, by its symbol, or by a variable that points to it.
static enum status name_object(struct tasks *tasks, struct os_task *task, struct error *err)
{
    struct image_symbol symbol;
    struct os_value called;
    const struct os_line *line;
    const char *name = "";
    enum status status =
        first_value(tasks, OS_CALLED, task->kind, task->address, task->object, &line, &called, err);
    if (status == STATUS_OK && !tasks->has_pointing)
        status = find_pointing(tasks, err);
    tasks->has_pointing = true;
    size_t at;
    PARTITION_POINT(at, tasks->pointing.count, tasks->pointing.items[middle].value < task->object);
    if (line)
        name = called.text;
    else if (image_set_by_address(&tasks->common.session.names.images, task->object, &symbol) &&
             symbol.address == task->object)
        name = symbol.symbol->display;
    else if (at < tasks->pointing.count && tasks->pointing.items[at].value == task->object)
        name = tasks->pointing.items[at].name;
    snprintf(task->object_name, sizeof task->object_name, "%s", name);
    return status;
}

static enum status describe(struct tasks *tasks, struct os_task *task, struct error *err)
{
    const struct os_line *line;
    struct os_value value;
    enum status status =
        first_value(tasks, OS_NAME, NULL, task->address, 0, &line, &task->name, err);
    if (!*task->name.text)
        snprintf(task->name.text, sizeof task->name.text, "0x%" PRIx64, task->address);
    if (status == STATUS_OK && !task->state) {
        status = first_value(tasks, OS_STATE, NULL, task->address, 0, &line, &value, err);
        task->state = line ? line->word : NULL;
    }
    if (status == STATUS_OK)
        status =
            first_value(tasks, OS_PRIORITY, NULL, task->address, 0, &line, &task->priority, err);
    if (status == STATUS_OK)
        status = first_value(tasks, OS_HELD, NULL, task->address, 0, &line, &task->held, err);
    if (status == STATUS_OK)
        status = first_value(tasks, OS_WAITS, NULL, task->address, 0, &line, &value, err);
    if (status != STATUS_OK || !line)
        return status;
    task->kind = line->word;
    task->object = value.number;
    status = name_object(tasks, task, err);
    if (status == STATUS_OK)
        status = first_value(tasks, OS_OWNER, task->kind, task->address, task->object, &line,
                             &value, err);
    task->is_owned = status == STATUS_OK && line && value.number;
    task->owner = value.number;
    return status;
}

// --- Circles -------------------------------------------------------------------------------------

// The task that holds what a task waits for. NULL: none does.
static struct os_task *holder_of(struct tasks *tasks, const struct os_task *task)
{
    for (size_t i = 0; task->is_owned && i < tasks->items.count; i++) {
        if (tasks->items.items[i].address == task->owner)
            return &tasks->items.items[i];
    }
    return NULL;
}

// Finds tasks that wait for each other, and says so.
static void find_circles(struct tasks *tasks)
{
    uint64_t count = 0;
    for (size_t i = 0; i < tasks->items.count; i++) {
        struct os_task *first = &tasks->items.items[i], *at = first;
        char text[512];
        size_t used = 0, steps = 0;
        do {
            at = holder_of(tasks, at);
        } while (at && at != first && steps++ < tasks->items.count);
        if (at != first || first->circle)
            continue;
        count++;
        *text = '\0';
        do {
            struct os_task *holder = holder_of(tasks, at);
            if (used < sizeof text - 1)
                used +=
                    (size_t)snprintf(text + used, sizeof text - used,
                                     "%s%.60s waits for %.40s %.60s, which %.60s holds",
                                     used ? "; " : "", at->name.text, at->kind,
                                     *at->object_name ? at->object_name : "", holder->name.text);
            at->circle = count;
            at = holder;
        } while (at != first);
        diag_note(&tasks->common.diag, "deadlock: %s", text);
    }
}

// --- The command ---------------------------------------------------------------------------------

static enum status put_task(struct tasks *tasks, const struct os_task *task, struct error *err)
{
    struct command *command = &tasks->common;
    struct trawl_event since = {0};
    char priority[24], owner[24];
    const bool has_since = task->since != TRAWL_START;
    enum status status =
        has_since ? index_view_event(query_view(command), task->since, &since, err) : STATUS_OK;
    const struct os_task *holder = holder_of(tasks, task);
    snprintf(priority, sizeof priority, "%" PRId64, (int64_t)task->priority.number);
    snprintf(owner, sizeof owner, "0x%" PRIx64, task->owner);
    if (status != STATUS_OK)
        return status;
    command_row(command,
                &(struct task_cells){
                    .task = task->name.text,
                    .address = task->address,
                    .priority = task->priority.is_known ? priority : NULL,
                    .state = task->state,
                    .time = has_since ? &since.time : NULL,
                    .line = has_since ? &since.line : NULL,
                    .held = task->held.is_known ? &task->held.number : NULL,
                    .kind = task->kind,
                    .object = task->kind ? &task->object : NULL,
                    .object_name = *task->object_name ? task->object_name : NULL,
                    .owner = holder           ? holder->name.text
                             : task->is_owned ? owner
                                              : NULL,
                    .circle = task->circle ? &task->circle : NULL,
                },
                &(struct line_place){since.line, since.position});
    return STATUS_OK;
}

static bool report(void *self)
{
    struct tasks *tasks = self;
    struct command *command = &tasks->common;
    struct session *session = &command->session;
    struct trawl_event about;
    struct error err, cause;
    size_t at = 0;
    enum status status = session_find_os(session, &tasks->system, &err);
    if (status == STATUS_OK && !tasks->system)
        status = error_set(&err, STATUS_INPUT,
                           "%s: no operating system is known: its kernel has to be an --image with "
                           "the types of DWARF (docs/os.md)",
                           session->path);
    if (status == STATUS_OK)
        status = query_lane(command, command->event, &tasks->lane, &about, &err);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    command->uses_memory = true;
    const struct os_line *running =
        os_next(&session->os_table, tasks->system, OS_RUNNING, NULL, &at);
    status = find_tasks(tasks, running ? running->expression : NULL, &cause);
    if (status == STATUS_INPUT || status == STATUS_NOT_FOUND) // of what was asked
        error_set(&err, STATUS_INPUT, "--os '%s': '%.200s': %s", tasks->system->name,
                  running ? running->expression : "", cause.text);
    else
        err = cause;
    if (status != STATUS_OK)
        return command_fail(command, &err);
    for (size_t i = 0; status == STATUS_OK && i < tasks->items.count; i++)
        status = describe(tasks, &tasks->items.items[i], &err);
    find_circles(tasks);
    if (status != STATUS_OK || !command_fields(command, fields, ARRAY_COUNT(fields), 0))
        return status != STATUS_OK && command_fail(command, &err);
    bool has_shown = false;
    for (size_t i = 0; status == STATUS_OK && i < tasks->items.count; i++) {
        const struct os_task *task = &tasks->items.items[i];
        if (!task->state) // it was not made yet, or has ended, and its memory is another's
            continue;
        status = put_task(tasks, task, &err);
        has_shown = true;
    }
    if (status != STATUS_OK)
        return command_fail(command, &err);
    if (!has_shown)
        diag_note(&command->diag, "no task of %s is there", tasks->system->name);
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct tasks tasks = {0};
    command_begin(&tasks.common, self);
    tasks.common.asks_index = true;
    enum exit_status status =
        command_run(&tasks.common, argc, argv, &(struct command_steps){&tasks, NULL, NULL, report});
    free(tasks.items.items);
    free(tasks.pointing.items);
    return status;
}

static const struct option_spec own_options[] = {
    {ROW_AT}, {ROW_OS}, {ROW_LANE}, TRACE_CONTEXT_OPTION, {ROW_FORMAT}, {ROW_WIDE}, {0},
};

const struct command_spec tasks_command = {
    .name = "tasks",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_TASKS | TRACE_REGISTERS | TRACE_MEMORY,
    .describe_input = trace_inputs_describe,
    .summary = "what each task of an operating system does at a point, and waits for",
    .description =
        "Lists the tasks that the kernel of an --image has at a point: their state and priority, "
        "since when they run or, if they do not, have not run, how many mutexes they hold, what "
        "they wait for, and who holds that. Tasks are those that run anywhere in the trace, as far "
        "as the trace shows what the kernel keeps of them. An "
        "object is called as its kernel calls it, by its symbol, or by a variable that points to "
        "it. Tasks that wait for each other have the same number as Deadlock.\n"
        "Kernels are described by lines of a file, which can be others (--os FILE; docs/os.md).",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals = query_positional,
    .examples = "trawl tasks --image kernel.elf run.tarmac\n"
                "trawl tasks --image kernel.elf run.tarmac --at time:120345\n"
                "trawl tasks --image kernel.elf run.tarmac --os my-kernel.txt --format json\n",
    .alternatives = trace_alternatives,
    .run = run,
};
