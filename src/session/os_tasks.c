#include "session/os_tasks.h"

#include "query/point.h"
#include "query/writes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static enum status no_memory(const struct session *session, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
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

static enum status find_by_keys(struct session *session, struct os_task_places *found,
                                struct error *err)
{
    enum status status = session_name_tasks_of_view(session, err);
    for (size_t i = 0; status == STATUS_OK && i < session->tasks.items.count; i++) {
        if (session->tasks.items.items[i].key &&
            !place_of(found, session->tasks.items.items[i].key))
            status = no_memory(session, err);
    }
    return status;
}

enum status os_tasks_find(struct session *session, const char *running, uint64_t event,
                          struct os_task_places *found, struct error *err)
{
    const struct index_view *view = &session->view;
    const struct trawl_event nowhere = {.event = TRAWL_START};
    struct point_names known = {
        .names = &session->names, .index = view->index, .isa = point_isa(view, &nowhere)};
    const struct expression_names names = point_c_names(&known, false);
    struct location location;
    struct write_target target = {.lane = TRAWL_ANY_LANE};
    struct write_found write;
    if (!running)
        return find_by_keys(session, found, err);
    struct write_walk *walk = malloc(sizeof *walk);
    enum status status = location_parse(&location, running, &names, err);
    if (status == STATUS_OK && location.kind != LOCATION_MEMORY)
        status = error_set(err, STATUS_INPUT, "no variable");
    if (status == STATUS_OK)
        status = location_address(&location, NULL, &target.start, err);
    if (status == STATUS_OK && !walk)
        status = no_memory(session, err);
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
        const bool is_past = event != TRAWL_START && write.event <= event;
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
            status = no_memory(session, err);
        if (place && is_past && next != now)
            place->since = write.event;
        if (found->count > LIMIT_TASKS)
            status = error_set(err, STATUS_LIMIT, "more than " TEXT_OF(LIMIT_TASKS) " tasks");
        now = next;
    }
    free(walk);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// --- Their names ---------------------------------------------------------------------------------

// What the system calls a task at the end of the trace, or its address.
static enum status name_task(struct session *session, const struct os_system *system,
                             struct os_named_task *task, struct error *err)
{
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
    snprintf(task->name, sizeof task->name, "%s", *value.text ? value.text : address);
    return status;
}

enum status os_tasks_name(struct session *session, struct os_named_tasks *tasks, struct error *err)
{
    const struct os_system *system;
    struct os_task_places found = {0};
    size_t at = 0;
    enum status status = session_find_os(session, &system, err);
    if (status != STATUS_OK || !system || !session->view.index || !session->view.info.events)
        return status;
    const struct os_line *running = os_next(&session->os_table, system, OS_RUNNING, NULL, &at);
    status = os_tasks_find(session, running ? running->expression : NULL, TRAWL_START, &found, err);
    if (status == STATUS_OK && !VEC_ROOM(tasks, found.count))
        status = no_memory(session, err);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++) {
        struct os_named_task *task = &tasks->items[tasks->count++];
        *task = (struct os_named_task){.address = found.items[i].address};
        status = name_task(session, system, task, err);
    }
    free(found.items);
    return status;
}

// --- States over time ----------------------------------------------------------------------------

// What a state can be is asked wherever something writes memory that was read to find it: as in
// query/find.h, but of all conditions at once, as the first that holds counts.

enum {
    MOST_RANGES = 64,
    NEAR_WRITES = 8 // that are passed one by one before the walk begins again behind them
};

struct watched_range {
    uint64_t address, size_bytes;
    struct write_walk *walk;
    uint64_t next;    // the next event that writes it; UINT64_MAX: none
    uint64_t used_at; // the last event of whose state it was a part
};

struct os_states {
    struct session *session;
    const char *words[OS_MOST_STATES];
    char *texts[OS_MOST_STATES]; // of conditions, which point into them
    struct expression conditions[OS_MOST_STATES];
    size_t count;
    struct watched_range ranges[MOST_RANGES];
    size_t range_count;
    struct expression_registers below; // while a state is asked for, likewise the next
    uint64_t event;
    enum status status; // of watching ranges
    struct error err;
};

static void go_on(struct os_states *states, struct watched_range *range)
{
    struct write_found found;
    enum status status = writes_next(range->walk, &found, &states->err);
    range->next = status == STATUS_OK ? found.event : UINT64_MAX;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        states->status = status;
}

// Watches a range from the event on.
static void watch(struct os_states *states, struct watched_range *range)
{
    const struct write_target target = {
        .lane = TRAWL_ANY_LANE, .start = range->address, .size_bytes = range->size_bytes};
    writes_begin(range->walk, &states->session->view, &target, states->event, false);
    go_on(states, range);
}

// The next event that writes the range, after `event`.
static uint64_t next_write(struct os_states *states, struct watched_range *range)
{
    for (int i = 0; states->status == STATUS_OK && range->next <= states->event; i++) {
        if (i < NEAR_WRITES)
            go_on(states, range);
        else
            watch(states, range);
    }
    return range->next;
}

// A place for another range: a new one, or that of one that is no longer read.
static struct watched_range *room(struct os_states *states)
{
    for (size_t i = 0; i < MOST_RANGES; i++) {
        struct watched_range *range = &states->ranges[i];
        if (i < states->range_count && range->used_at == states->event)
            continue;
        if (!range->walk)
            range->walk = malloc(sizeof *range->walk);
        if (!range->walk) {
            states->status = no_memory(states->session, &states->err);
            return NULL;
        }
        states->range_count += i == states->range_count;
        return range;
    }
    states->status = error_set(&states->err, STATUS_LIMIT,
                               "%s: the state of a task depends on more than %d places",
                               states->session->path, MOST_RANGES);
    return NULL;
}

static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    struct os_states *states = self;
    struct watched_range *range = states->ranges;
    const struct watched_range *end = range + states->range_count;
    while (range < end && (range->address != address || range->size_bytes != size_bytes))
        range++;
    if (range == end) {
        range = room(states);
        if (!range)
            return false;
        range->address = address;
        range->size_bytes = size_bytes;
        watch(states, range);
    }
    range->used_at = states->event;
    return states->below.read_memory(states->below.self, address, size_bytes, value);
}

struct os_states *os_states_open(struct session *session, uint64_t task, struct error *err)
{
    const struct os_system *system;
    const struct trawl_event nowhere = {.event = TRAWL_START};
    struct point_names known = {.names = &session->names,
                                .index = session->view.index,
                                .isa = point_isa(&session->view, &nowhere)};
    const struct expression_names names = point_c_names(&known, true);
    char text[LIMIT_OS_EXPRESSION_BYTES], address[24];
    const struct os_line *line;
    struct error why;
    if (session_find_os(session, &system, err) != STATUS_OK)
        return NULL;
    struct os_states *states = calloc(1, sizeof *states);
    if (!states) {
        no_memory(session, err);
        return NULL;
    }
    states->session = session;
    snprintf(address, sizeof address, "0x%" PRIx64, task);
    for (size_t at = 0; system && states->count < OS_MOST_STATES &&
                        (line = os_next(&session->os_table, system, OS_STATE, NULL, &at));) {
        struct expression *condition = &states->conditions[states->count];
        if (!os_bind(text, line->condition, address, "0"))
            continue;
        char *copy = strdup(text);
        if (!copy) {
            no_memory(session, err);
            os_states_close(states);
            return NULL;
        }
        if (expression_parse(condition, copy, strlen(copy), &names, &why) != STATUS_OK ||
            condition->has_registers) {
            free(copy);
            continue;
        }
        states->texts[states->count] = copy;
        states->words[states->count++] = line->word;
    }
    return states;
}

void os_states_close(struct os_states *states)
{
    for (size_t i = 0; states && i < states->count; i++)
        free(states->texts[i]);
    for (size_t i = 0; states && i < MOST_RANGES; i++)
        free(states->ranges[i].walk);
    free(states);
}

enum status os_states_at(struct os_states *states, uint64_t event, const char **word,
                         uint64_t *until, struct error *err)
{
    struct session *session = states->session;
    struct point_registers registers = {
        .view = &session->view, .event = event, .names = &session->names};
    struct expression_registers readers = {.self = states, .read_memory = read_memory};
    struct error why;
    uint64_t value;
    states->below = point_registers(&registers);
    readers.read = states->below.read;
    if (event < states->event) // their walks are behind it
        states->range_count = 0;
    states->event = event;
    *word = NULL;
    *until = UINT64_MAX;
    for (size_t i = 0; i < states->count && !*word && states->status == STATUS_OK; i++) {
        if (expression_evaluate(&states->conditions[i], &readers, &value, &why) == STATUS_OK &&
            value)
            *word = states->words[i];
    }
    if (registers.has_failed) {
        states->err = registers.err;
        states->status = registers.err.status;
    }
    for (size_t i = 0; i < states->range_count; i++)
        *until = u64_min(*until, next_write(states, &states->ranges[i]));
    if (states->status != STATUS_OK && err)
        *err = states->err;
    return states->status;
}

// Gives the states of a task. *goes_on: whether the sink continues.
static enum status give_task(struct os_states *states, const struct state_sink *sink, bool *goes_on,
                             struct error *err)
{
    const struct index_view *view = &states->session->view;
    const struct call_range *range = &states->session->filter.range;
    struct trawl_event about;
    const char *word = NULL, *now = NULL;
    uint64_t since = 0, event = 0;
    enum status status = STATUS_OK;
    for (bool is_last = false; status == STATUS_OK && *goes_on && !is_last;) {
        uint64_t next = UINT64_MAX;
        is_last = event == UINT64_MAX;
        status = index_view_event(view, is_last ? view->info.events - 1 : event, &about, err);
        if (status == STATUS_OK && !is_last)
            status = os_states_at(states, event, &now, &next, err);
        if (status != STATUS_OK)
            break;
        if (now != word || is_last) {
            const uint64_t from = u64_max(since, range->first_time);
            const uint64_t end = u64_min(about.time, range->last_time);
            *goes_on = !word || from >= end || sink->span(sink->self, from, end, word);
            word = now;
            since = about.time;
        }
        event = next;
    }
    return status;
}

enum status os_states_give(struct session *session, const struct state_sink *sink,
                           struct error *err)
{
    struct os_named_tasks tasks = {0};
    bool goes_on = true;
    enum status status = os_tasks_name(session, &tasks, err);
    for (size_t i = 0; i < tasks.count && status == STATUS_OK && goes_on; i++) {
        struct os_states *states = os_states_open(session, tasks.items[i].address, err);
        char title[OS_VALUE_BYTES + 16];
        snprintf(title, sizeof title, "%s: state", tasks.items[i].name);
        status = states ? STATUS_OK : err->status;
        goes_on = states &&
                  sink->lane(sink->self, &(struct call_lane){title, session->view.info.lanes + 1,
                                                             i + UINT64_C(1)});
        if (goes_on)
            status = give_task(states, sink, &goes_on, err);
        os_states_close(states);
    }
    free(tasks.items);
    return status;
}
