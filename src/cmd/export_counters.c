#include "cmd/export.h"

#include "cmd/trace_listener.h"
#include "cmd/trace_pass.h"
#include "query/find.h"
#include "query/register_set.h"
#include "query/writes.h"

#include <stdio.h>
#include <stdlib.h>

#define VALUE_BYTES 8 // the most of a counter
#define NAME_BYTES 300
#define EXPRESSION_BYTES 512 // of a counter that is one

// A counter of one lane, or of memory. What is neither a register nor memory at a constant address
// is the value of an expression, which is asked where it changes and where it begins to be known.
struct counter {
    const char *text; // as it was typed
    const char *what; // without its type
    struct location location;
    struct write_target target;
    uint64_t value_bytes;
    bool is_signed;
    uint32_t type_bytes; // of u32:, s8:; 0: the size of the register or symbol
    bool is_expression;
    struct expression value, known, changed;
    char known_text[2 * EXPRESSION_BYTES + 16], changed_text[EXPRESSION_BYTES + 16];
};

// --- What was typed ------------------------------------------------------------------------------

// Removes a type from the beginning, as in u32:ticks.
static void take_type(struct counter *counter)
{
    static const char *const sizes[] = {"8:", "16:", "32:", "64:"};
    const char *text = counter->text;
    if (*text != 'u' && *text != 's')
        return;
    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
        size_t length = strlen(sizes[i]);
        if (strncmp(text + 1, sizes[i], length) != 0)
            continue;
        counter->is_signed = *text == 's';
        counter->type_bytes = 1u << i;
        counter->what = text + 1 + length;
    }
}

static bool refuse(struct command *command, const struct counter *counter, const char *why)
{
    command_fail_with(command, STATUS_INPUT, "--counter '%.200s': %s", counter->text, why);
    command->status = EXIT_STATUS_USAGE;
    return false;
}

static bool parse(struct command *command, const struct trawl_event *about, const char *text,
                  struct expression *expression)
{
    struct point_names known = {.names = &command->session.names,
                                .index = query_view(command)->index,
                                .isa = point_isa(query_view(command), about)};
    struct expression_names names = point_c_names(&known, true);
    struct error err;
    names.takes_events = true;
    return expression_parse(expression, text, strlen(text), &names, &err) == STATUS_OK;
}

// Whether it is an expression, rather than a register, or memory at a constant address.
static bool find_expression(struct command *command, const struct trawl_event *about,
                            struct counter *counter)
{
    struct point_names known = {.names = &command->session.names,
                                .index = query_view(command)->index,
                                .isa = point_isa(query_view(command), about)};
    const struct expression_names names = point_c_names(&known, false);
    const char *what = counter->what;
    struct error err;
    enum status status = location_parse(&counter->location, what, &names, &err);
    if (strlen(what) > EXPRESSION_BYTES || counter->type_bytes ||
        (status == STATUS_OK &&
         (counter->location.kind == LOCATION_REGISTER ||
          (!counter->location.address.has_registers && !counter->location.address.has_memory))))
        return false;
    snprintf(counter->known_text, sizeof counter->known_text, "(%s)==(%s)", what, what);
    snprintf(counter->changed_text, sizeof counter->changed_text, "changed(%s)", what);
    return parse(command, about, what, &counter->value) &&
           (counter->value.has_registers || counter->value.has_memory) &&
           !counter->value.has_events && !counter->value.has_locals && !counter->value.is_text &&
           parse(command, about, counter->known_text, &counter->known) &&
           parse(command, about, counter->changed_text, &counter->changed);
}

// Finds the register or memory, with the register names of a lane. False: reported.
static bool find_counter(struct command *command, uint64_t lane, struct counter *counter)
{
    const struct index_view *view = query_view(command);
    struct location *location = &counter->location;
    struct trawl_event about;
    struct error err;
    if (point_in_lane(view, lane, view->info.events - 1, &about, &err) != STATUS_OK)
        return command_fail(command, &err);
    counter->is_expression = find_expression(command, &about, counter);
    counter->target =
        (struct write_target){.lane = lane, .is_register = counter->value.has_registers};
    if (counter->is_expression)
        return true;
    if (!query_location(command, counter->what, &about, location))
        return false;
    uint64_t size_bytes = counter->type_bytes ? counter->type_bytes : location->size_bytes;
    counter->target = (struct write_target){.lane = lane, .size_bytes = size_bytes};
    counter->value_bytes = size_bytes;
    if (location->kind == LOCATION_REGISTER) {
        counter->target.is_register = true;
        counter->target.start = location->which.offset;
        counter->target.size_bytes = location->size_bytes;
        counter->value_bytes = u64_min(size_bytes, location->size_bytes); // its low bytes
        if (!location->which.size_bytes || location->size_bytes > VALUE_BYTES)
            return refuse(command, counter, "no register of at most 8 bytes");
        return true;
    }
    if (location->address.has_registers || location->address.has_memory)
        return refuse(command, counter, "memory whose address may change");
    if (size_bytes > VALUE_BYTES)
        return refuse(command, counter, "more than 8 bytes of memory (u32:ADDR takes 4)");
    counter->target.lane = TRAWL_ANY_LANE;
    return query_address(command, counter->what, location, lane, TRAWL_START,
                         &counter->target.start);
}

// --- Values --------------------------------------------------------------------------------------

static uint64_t extended(const struct counter *counter, uint64_t value, size_t size_bytes)
{
    unsigned bits = 64 - 8 * (unsigned)size_bytes;
    return counter->is_signed ? (uint64_t)((int64_t)(value << bits) >> bits) : value;
}

// The value after an event. *has_value: all of it is known.
static enum status read_value(const struct command *command, const struct counter *counter,
                              uint64_t event, uint64_t *value, bool *has_value, struct error *err)
{
    const struct index_view *view = query_view(command);
    struct register_value found;
    struct trawl_error from;
    enum status status;
    size_t size_bytes = (size_t)counter->value_bytes;
    bool is_big_endian = false;
    if (counter->target.is_register) {
        status =
            register_read(view, counter->target.lane, event, &counter->location.which, &found, err);
    } else {
        is_big_endian = view->info.options & TRAWL_BIG_ENDIAN;
        status = index_status(index_view_memory(view, event, counter->target.start, size_bytes,
                                                found.values, found.known, &from),
                              &from, err);
    }
    *has_value = status == STATUS_OK && !memchr(found.known, 0, size_bytes);
    if (*has_value)
        *value =
            extended(counter, point_number(found.values, size_bytes, is_big_endian), size_bytes);
    return status;
}

struct giving {
    struct command *command;
    const struct counter_sink *sink;
    struct counter counter;
    uint64_t first, last; // events that may be in the range
    bool has_held;        // there was a write before the range, whose value was not given yet
    uint64_t held;
    bool has_before;
    uint64_t before; // the last value given
};

// Gives the value after an event, if it has changed. *goes_on: whether the sink continues.
static enum status give_value(struct giving *giving, uint64_t event, uint64_t time, bool *goes_on,
                              struct error *err)
{
    uint64_t value;
    bool has_value;
    struct point_registers registers = {.view = query_view(giving->command),
                                        .lane = giving->counter.target.lane,
                                        .event = event,
                                        .names = &giving->command->session.names};
    enum status status =
        giving->counter.is_expression
            ? point_value(&giving->counter.value, &registers, &value, err)
            : read_value(giving->command, &giving->counter, event, &value, &has_value, err);
    if (giving->counter.is_expression) {
        has_value = status == STATUS_OK;
        status = registers.has_failed         ? registers.err.status
                 : status == STATUS_NOT_FOUND ? STATUS_OK
                                              : status;
    }
    if (status != STATUS_OK || !has_value || (giving->has_before && value == giving->before))
        return status;
    giving->has_before = true;
    giving->before = value;
    *goes_on = giving->sink->value(giving->sink->self, time, value, giving->counter.is_signed);
    return status;
}

// Gives the value at the start of the range, from the last write before it; once.
static enum status give_held(struct giving *giving, bool *goes_on, struct error *err)
{
    const struct index_view *view = query_view(giving->command);
    struct trawl_event about;
    if (!giving->has_held)
        return STATUS_OK;
    giving->has_held = false;
    enum status status = index_view_event(view, giving->first, &about, err);
    if (status != STATUS_OK)
        return status;
    uint64_t start = giving->command->session.filter.range.first_time;
    return give_value(giving, giving->held, u64_max(about.time, start), goes_on, err);
}

// Processes a write: gives it, or records that it is before the range.
static enum status take_write(struct giving *giving, uint64_t event, bool *goes_on,
                              struct error *err)
{
    struct trawl_event about;
    enum status status = index_view_event(query_view(giving->command), event, &about, err);
    if (status != STATUS_OK)
        return status;
    if (about.time < giving->command->session.filter.range.first_time) {
        giving->has_held = true;
        giving->held = event;
    }
    if (!query_wants_event(giving->command, &about))
        return STATUS_OK;
    status = give_held(giving, goes_on, err);
    return status == STATUS_OK && *goes_on ? give_value(giving, event, about.time, goes_on, err)
                                           : status;
}

// Gives the values of an expression: where it changes, and where it begins to be known.
static enum status give_expression(struct giving *giving, struct error *err)
{
    const struct counter *counter = &giving->counter;
    const struct expression *conditions[2] = {&counter->known, &counter->changed};
    struct finder *finders[2] = {NULL, NULL};
    struct found_point points[2];
    bool has_point[2] = {false, false}, goes_on = true;
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        const struct find_request request = {
            .condition = conditions[i],
            .lane = counter->target.is_register ? counter->target.lane : TRAWL_ANY_LANE,
            .last = giving->last,
            .names = &giving->command->session.names};
        status = find_begin(&finders[i], query_view(giving->command), &request, err);
    }
    giving->has_held = false;
    uint64_t at = UINT64_MAX; // the event that was given last
    for (bool is_first = true; status == STATUS_OK && goes_on; is_first = false) {
        uint64_t next = UINT64_MAX;
        for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
            if (is_first || (has_point[i] && points[i].event == at)) {
                status = find_next(finders[i], &points[i], err);
                has_point[i] = status == STATUS_OK;
                status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
            }
            next = u64_min(next, has_point[i] ? points[i].event : UINT64_MAX);
        }
        at = next;
        if (status != STATUS_OK || at == UINT64_MAX)
            break;
        status = take_write(giving, at, &goes_on, err);
    }
    find_end(finders[0]);
    find_end(finders[1]);
    return status == STATUS_OK && goes_on ? give_held(giving, &goes_on, err) : status;
}

// Gives the value at the start of the range, and each value in the range.
static enum status give_values(struct giving *giving, struct error *err)
{
    struct write_walk *walk = malloc(sizeof *walk);
    struct write_found found;
    enum status status = STATUS_OK;
    bool goes_on = true;
    if (giving->counter.is_expression) {
        free(walk);
        return give_expression(giving, err);
    }
    if (!walk)
        return error_set(err, STATUS_MEMORY, "no memory for counters");
    giving->has_held = giving->first > 0;
    giving->held = giving->first - 1;
    writes_begin(walk, query_view(giving->command), &giving->counter.target, giving->first - 1,
                 false);
    while (status == STATUS_OK && goes_on) {
        status = writes_next(walk, &found, err);
        if (status != STATUS_OK || found.event > giving->last)
            break;
        status = take_write(giving, found.event, &goes_on, err);
    }
    free(walk);
    return status == STATUS_OK || status == STATUS_NOT_FOUND ? give_held(giving, &goes_on, err)
                                                             : status;
}

// --- Lanes ---------------------------------------------------------------------------------------

static bool give_counter(struct giving *giving, uint64_t lane)
{
    struct command *command = giving->command;
    char name[NAME_BYTES];
    struct error err;
    giving->has_before = false;
    if (!find_counter(command, lane, &giving->counter))
        return false;
    const char *lane_name =
        giving->counter.target.is_register ? query_lane_name(command, lane) : NULL;
    snprintf(name, sizeof name, "%.200s%s%.60s", giving->counter.text, lane_name ? " " : "",
             lane_name ? lane_name : "");
    if (!giving->sink->track(giving->sink->self, name))
        return true; // whose output failed
    return give_values(giving, &err) == STATUS_OK || command_fail(command, &err);
}

// Gives a register for each lane, memory once.
static bool give_lanes(struct giving *giving, uint64_t wanted)
{
    uint64_t lane_count = query_view(giving->command)->info.lanes;
    for (uint64_t lane = 0; lane < lane_count; lane++) {
        if (wanted != TRAWL_ANY_LANE && lane != wanted)
            continue;
        if (!give_counter(giving, lane))
            return false;
        if (!giving->counter.target.is_register)
            break;
    }
    return true;
}

bool export_counters_give(struct command *command, const struct counter_texts *counters,
                          const struct counter_sink *sink)
{
    struct session *session = &command->session;
    struct giving giving = {.command = command, .sink = sink};
    struct error err;
    uint64_t lane;
    if (!counters->count)
        return true;
    if (session_find_lane(session, &lane, &err) != STATUS_OK ||
        session_event_bounds(session, lane, &giving.first, &giving.last, &err) != STATUS_OK)
        return command_fail(command, &err);
    for (size_t i = 0; i < counters->count; i++) {
        const char *text = counters->items[i];
        giving.counter = (struct counter){.text = text, .what = text};
        take_type(&giving.counter);
        if (!give_lanes(&giving, lane))
            return false;
    }
    return true;
}

// --- Before the pass -----------------------------------------------------------------------------

// Reports errors in the counters before anything is written.
static bool find_all(struct command *command, const struct counter_texts *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        struct counter counter = {.text = counters->items[i], .what = counters->items[i]};
        take_type(&counter);
        if (!find_counter(command, 0, &counter))
            return false;
    }
    return true;
}

bool export_counters_open(struct command *command, const struct counter_texts *counters)
{
    return !counters->count || (command_view(command) && find_all(command, counters));
}
