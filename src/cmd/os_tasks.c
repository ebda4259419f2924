#include "cmd/os_tasks.h"

#include "query/writes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static enum status no_memory(const struct command *command, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", command->session.path);
}

// --- Which tasks there are -----------------------------------------------------------------------

// NULL: no memory.
static struct os_task_place *place_of(struct os_task_places *found, uint64_t address)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].address == address)
            return &found->items[i];
    }
    if (!VEC_ROOM(found, 1))
        return NULL;
    found->items[found->count++] = (struct os_task_place){address, TRAWL_START};
    return &found->items[found->count - 1];
}

static enum status find_by_keys(struct command *command, struct os_task_places *found,
                                struct error *err)
{
    struct session *session = &command->session;
    enum status status = session_name_tasks_of_view(session, err);
    for (size_t i = 0; status == STATUS_OK && i < session->tasks.items.count; i++) {
        if (session->tasks.items.items[i].key &&
            !place_of(found, session->tasks.items.items[i].key))
            status = no_memory(command, err);
    }
    return status;
}

enum status os_tasks_find(struct command *command, const char *running,
                          struct os_task_places *found, struct error *err)
{
    const struct index_view *view = query_view(command);
    const struct trawl_event nowhere = {.event = TRAWL_START};
    struct point_names known = {
        .names = &command->session.names, .index = view->index, .isa = point_isa(view, &nowhere)};
    const struct expression_names names = point_c_names(&known, false);
    struct location location;
    struct write_target target = {.lane = TRAWL_ANY_LANE};
    struct write_found write;
    if (!running)
        return find_by_keys(command, found, err);
    struct write_walk *walk = malloc(sizeof *walk);
    enum status status = location_parse(&location, running, &names, err);
    if (status == STATUS_OK && location.kind != LOCATION_MEMORY)
        status = error_set(err, STATUS_INPUT, "no variable");
    if (status == STATUS_OK)
        status = location_address(&location, NULL, &target.start, err);
    if (status == STATUS_OK && !walk)
        status = no_memory(command, err);
    if (status == STATUS_OK) {
        target.size_bytes = u64_min(location.size_bytes, sizeof(uint64_t));
        writes_begin(walk, view, &target, TRAWL_START, false);
    }
    for (uint64_t now = 0; status == STATUS_OK;) {
        uint8_t bytes[8], known_bytes[8];
        struct trawl_error from;
        status = writes_next(walk, &write, err);
        if (status != STATUS_OK)
            break;
        const bool is_past = command->event != TRAWL_START && write.event <= command->event;
        status =
            index_status(index_view_memory(view, write.event, target.start,
                                           (size_t)target.size_bytes, bytes, known_bytes, &from),
                         &from, err);
        if (status != STATUS_OK || memchr(known_bytes, 0, (size_t)target.size_bytes))
            continue;
        const uint64_t next =
            point_number(bytes, (size_t)target.size_bytes, view->info.options & TRAWL_BIG_ENDIAN);
        struct os_task_place *before = now ? place_of(found, now) : NULL;
        if (before && is_past && next != now)
            before->since = write.event;
        struct os_task_place *place = next ? place_of(found, next) : NULL;
        if (next && !place)
            status = no_memory(command, err);
        if (place && is_past && next != now)
            place->since = write.event;
        if (found->count > LIMIT_TASKS)
            status = error_set(err, STATUS_LIMIT, "more than " TEXT_OF(LIMIT_TASKS) " tasks");
        now = next;
    }
    free(walk);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// --- States over time ----------------------------------------------------------------------------

// What a state can be is asked wherever something writes memory that was read to find it: as in
// query/find.h, but of all conditions at once, as the first that holds counts.

enum { MOST_STATES = 32, MOST_RANGES = 64 };

struct watched_range {
    uint64_t address, size_bytes;
    struct write_walk *walk;
    uint64_t next; // the next event that writes it; UINT64_MAX: none
};

struct states {
    struct command *command;
    const struct state_sink *sink;
    const char *words[MOST_STATES];
    char *texts[MOST_STATES];
    struct expression *conditions; // MOST_STATES of them
    size_t count;
    struct watched_range ranges[MOST_RANGES];
    size_t range_count;
    struct expression_registers below;
    uint64_t event;
    enum status status; // of finding the next writes
    struct error *err;
};

static void go_on(struct states *states, struct watched_range *range)
{
    struct write_found found;
    enum status status = writes_next(range->walk, &found, states->err);
    range->next = status == STATUS_OK ? found.event : UINT64_MAX;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        states->status = status;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct states *states = self;
    size_t at = 0;
    while (at < states->range_count &&
           (states->ranges[at].address != address || states->ranges[at].size_bytes != size_bytes))
        at++;
    if (at == states->range_count && at < MOST_RANGES) {
        const struct write_target target = {
            .lane = TRAWL_ANY_LANE, .start = address, .size_bytes = size_bytes};
        struct watched_range *range = &states->ranges[at];
        *range = (struct watched_range){address, size_bytes, malloc(sizeof *range->walk), 0};
        if (!range->walk) {
            states->status = no_memory(states->command, states->err);
            return false;
        }
        states->range_count++;
        writes_begin(range->walk, query_view(states->command), &target, states->event, false);
        go_on(states, range);
    }
    return states->below.read_memory(states->below.self, address, size_bytes, value);
}

// Compiles the conditions of a task's states.
static enum status compile(struct states *states, const struct os_system *system,
                           const struct os_task_place *task, struct error *err)
{
    struct session *session = &states->command->session;
    const struct trawl_event nowhere = {.event = TRAWL_START};
    struct point_names known = {.names = &session->names,
                                .index = session->view.index,
                                .isa = point_isa(&session->view, &nowhere)};
    const struct expression_names names = point_c_names(&known, true);
    const struct os_line *line;
    char text[LIMIT_OS_EXPRESSION_BYTES], address[24];
    struct error why;
    snprintf(address, sizeof address, "0x%" PRIx64, task->address);
    for (size_t at = 0; states->count < MOST_STATES &&
                        (line = os_next(&session->os_table, system, OS_STATE, NULL, &at));) {
        struct expression *condition = &states->conditions[states->count];
        char *copy = os_bind(text, line->condition, address, "0") ? strdup(text) : NULL;
        if (!copy)
            return no_memory(states->command, err);
        if (expression_parse(condition, copy, strlen(copy), &names, &why) != STATUS_OK ||
            condition->has_registers) {
            free(copy);
            continue;
        }
        states->texts[states->count] = copy;
        states->words[states->count++] = line->word;
    }
    return STATUS_OK;
}

// The state after an event; NULL: unknown.
static const char *state_at(struct states *states, uint64_t event)
{
    struct session *session = &states->command->session;
    struct point_registers registers = {
        .view = &session->view, .event = event, .names = &session->names};
    states->below = point_registers(&registers);
    states->event = event;
    const struct expression_registers readers = {
        .self = states, .read = states->below.read, .read_memory = read_memory};
    const char *word = NULL;
    for (size_t i = 0; i < states->count && !word && states->status == STATUS_OK; i++) {
        uint64_t value;
        struct error why;
        if (expression_evaluate(&states->conditions[i], &readers, &value, &why) == STATUS_OK &&
            value)
            word = states->words[i];
    }
    if (registers.has_failed) {
        *states->err = registers.err;
        states->status = registers.err.status;
    }
    return word;
}

static bool put_span(const struct states *states, uint64_t from, uint64_t until, const char *word)
{
    const struct call_range *range = &states->command->session.filter.range;
    from = u64_max(from, range->first_time);
    until = u64_min(until, range->last_time);
    return !word || from >= until || states->sink->span(states->sink->self, from, until, word);
}

// Gives the states of a task. *goes_on: whether the sink continues.
static enum status give_task(struct states *states, bool *goes_on, struct error *err)
{
    const struct index_view *view = query_view(states->command);
    struct trawl_event about;
    const char *word = NULL;
    uint64_t since = 0, event = 0, last_time = 0;
    states->err = err;
    while (states->status == STATUS_OK && *goes_on) {
        states->status = index_view_event(view, event, &about, err);
        const char *now = states->status == STATUS_OK ? state_at(states, event) : NULL;
        if (states->status != STATUS_OK)
            break;
        if (now != word) {
            *goes_on = put_span(states, since, about.time, word);
            word = now;
            since = about.time;
        }
        uint64_t next = UINT64_MAX;
        for (size_t i = 0; i < states->range_count; i++) {
            while (states->status == STATUS_OK && states->ranges[i].next <= event)
                go_on(states, &states->ranges[i]);
            next = u64_min(next, states->ranges[i].next);
        }
        if (next == UINT64_MAX)
            break;
        event = next;
    }
    if (states->status == STATUS_OK && *goes_on && view->info.events) {
        states->status = index_view_event(view, view->info.events - 1, &about, err);
        last_time = about.time;
        *goes_on = states->status != STATUS_OK || put_span(states, since, last_time, word);
    }
    return states->status;
}

static void free_task(struct states *states)
{
    for (size_t i = 0; i < states->count; i++)
        free(states->texts[i]);
    for (size_t i = 0; i < states->range_count; i++)
        free(states->ranges[i].walk);
    states->count = states->range_count = 0;
}

// What the system calls a task at the end of the trace, or its address.
static enum status name_task(struct command *command, const struct os_system *system,
                             const struct os_task_place *task, char name[OS_VALUE_BYTES],
                             struct error *err)
{
    struct session *session = &command->session;
    const struct os_line *line;
    struct os_value value = {0};
    char text[LIMIT_OS_EXPRESSION_BYTES], address[24];
    enum status status = STATUS_OK;
    snprintf(address, sizeof address, "0x%" PRIx64, task->address);
    for (size_t at = 0; status == STATUS_OK && !*value.text &&
                        (line = os_next(&session->os_table, system, OS_NAME, NULL, &at));) {
        if (os_bind(text, line->expression, address, "0"))
            status = session_os_value(session, 0, session->view.info.events - 1, text, &value, err);
    }
    snprintf(name, OS_VALUE_BYTES, "%s", *value.text ? value.text : address);
    return status;
}

bool os_states_give(struct command *command, const struct state_sink *sink)
{
    struct session *session = &command->session;
    struct states *states = calloc(1, sizeof *states);
    struct os_task_places found = {0};
    const struct os_system *system = NULL;
    struct error err;
    size_t at = 0;
    bool goes_on = true;
    enum status status = session_find_os(session, &system, &err);
    if (!states || !(states->conditions = calloc(MOST_STATES, sizeof *states->conditions)))
        status = no_memory(command, &err);
    const struct os_line *running =
        system ? os_next(&session->os_table, system, OS_RUNNING, NULL, &at) : NULL;
    if (status == STATUS_OK && system && session->view.index && session->view.info.events)
        status = os_tasks_find(command, running ? running->expression : NULL, &found, &err);
    for (size_t i = 0; i < found.count && status == STATUS_OK && goes_on; i++) {
        char name[OS_VALUE_BYTES], title[OS_VALUE_BYTES + 16];
        states->command = command;
        states->sink = sink;
        status = name_task(command, system, &found.items[i], name, &err);
        if (status == STATUS_OK)
            status = compile(states, system, &found.items[i], &err);
        snprintf(title, sizeof title, "%s: state", name);
        goes_on = sink->lane(
            sink->self, &(struct call_lane){title, session->view.info.lanes + 1, i + UINT64_C(1)});
        if (status == STATUS_OK && goes_on)
            status = give_task(states, &goes_on, &err);
        free_task(states);
    }
    free(found.items);
    if (states)
        free(states->conditions);
    free(states);
    return status == STATUS_OK || command_fail(command, &err);
}
