#include "cli/values.h"
#include "cmd/contexts.h"
#include "cmd/query.h"
#include "cmd/trace_listener.h"
#include "cmd/trace_pass.h"
#include "session/passes.h"
#include "session/session_index.h"
#include "session/shown.h"

#include <inttypes.h>
#include <stdlib.h>

// The point after the last event of point->lane that begins at or before the byte. False: the index
// is damaged.
static bool recalled_byte(struct trawl_index *index, uint64_t byte, struct lane_point *point)
{
    struct trawl_event about;
    uint64_t event;
    point->events = 0;
    if (trawl_event_at_position(index, byte, &event, NULL) != TRAWL_OK)
        return false;
    if (event == TRAWL_START)
        return true;
    if (trawl_event(index, event, &about, NULL) != TRAWL_OK || about.lane != point->lane)
        return false;
    point->events = about.in_lane + 1;
    return true;
}

// Event `in_lane` of the lane.
static enum trawl_status recall_event(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                      struct trawl_event *about)
{
    uint64_t event;
    enum trawl_status status = trawl_event_of_lane(index, lane, in_lane, &event, NULL);
    return status == TRAWL_OK ? trawl_event(index, event, about, NULL) : status;
}

// The number of events of the lane up to the point.
static enum trawl_status count_events(struct trawl_index *index, uint64_t lane, uint64_t events,
                                      const struct lane_point *point, uint64_t *count)
{
    struct trawl_event about;
    uint64_t event;
    *count = u64_min(events, point->events);
    if (point->last_time == UINT64_MAX)
        return TRAWL_OK;
    enum trawl_status status = trawl_event_at_time(index, lane, point->last_time, &event, NULL);
    if (status == TRAWL_OK && event == TRAWL_START) {
        *count = 0;
        return TRAWL_OK;
    }
    if (status == TRAWL_OK)
        status = trawl_event(index, event, &about, NULL);
    if (status == TRAWL_OK)
        *count = u64_min(*count, about.in_lane + 1);
    return status;
}

static enum trawl_status recall_frame(struct trawl_index *index, uint64_t lane,
                                      const struct trawl_call *call, struct lane_stack *stack)
{
    struct trawl_event entry;
    enum trawl_status status = recall_event(index, lane, call->entry, &entry);
    if (status != TRAWL_OK)
        return status;
    if (!VEC_ROOM(&stack->frames, 1))
        return TRAWL_MEMORY;
    stack->frames.items[stack->frames.count++] =
        (struct lane_frame){entry.time, call->entry, entry.position, call->pc};
    return TRAWL_OK;
}

// The call and those around it, the outermost first.
static enum trawl_status recall_frames(struct trawl_index *index, uint64_t lane,
                                       struct trawl_call *call, struct lane_stack *stack)
{
    for (;;) {
        enum trawl_status status = recall_frame(index, lane, call, stack);
        if (status == TRAWL_OK && call->parent == TRAWL_NONE) {
            struct lane_frame *frames = stack->frames.items;
            for (size_t i = 0, last = stack->frames.count; last && i < --last; i++) {
                const struct lane_frame frame = frames[i];
                frames[i] = frames[last];
                frames[last] = frame;
            }
            return status;
        }
        if (status == TRAWL_OK)
            status = trawl_call(index, lane, call->parent, call, NULL);
        if (status != TRAWL_OK)
            return status;
    }
}

// The stack at the point of a lane with this many events. TRAWL_MEMORY: no memory; any other status
// except TRAWL_OK: the index is damaged.
static enum trawl_status recalled_stack(struct trawl_index *index, uint64_t lane, uint64_t events,
                                        const struct lane_point *point, struct lane_stack *stack)
{
    struct trawl_event last;
    struct trawl_call call;
    uint64_t count;
    stack->frames.count = 0;
    enum trawl_status status = count_events(index, lane, events, point, &count);
    if (status != TRAWL_OK || !count)
        return status;
    status = recall_event(index, lane, count - 1, &last);
    if (status != TRAWL_OK)
        return status;
    stack->time = last.time;
    status = trawl_call_at(index, lane, count - 1, &call, NULL);
    if (status == TRAWL_NOT_FOUND) // no call yet
        return TRAWL_OK;
    return status == TRAWL_OK ? recall_frames(index, lane, &call, stack) : status;
}

struct recalled {
    struct command *command;
    struct lane_point point;
    struct lane_stack *lanes;
};

static struct session *session_of(const struct recalled *stacks)
{
    return &stacks->command->session;
}

static struct trace *trace_of(const struct recalled *stacks)
{
    return session_of(stacks)->trace;
}

static const struct trace_lane_stacks *ways_of(const struct recalled *stacks)
{
    return &trace_of(stacks)->kind->direct->stacks;
}

// --- The point -----------------------------------------------------------------------------------

// Finds the lane with that name; otherwise lists all names.
static bool find_lane(struct recalled *stacks, const char *wanted, struct lane_names *names)
{
    size_t count = ways_of(stacks)->lane_count(trace_of(stacks));
    char name[LIMIT_LANE_NAME_BYTES + 1];
    *names = (struct lane_names){.kind = trace_of(stacks)->kind->words.lane};
    for (size_t i = 0; i < count; i++) {
        ways_of(stacks)->lane_name(trace_of(stacks), i, name);
        lane_names_add(names, name);
        if (strcmp(name, wanted) == 0) {
            stacks->point.lane = i;
            return true;
        }
    }
    return false;
}

static enum status find_byte(struct recalled *stacks, uint64_t byte, struct error *err)
{
    const struct trace *trace = trace_of(stacks);
    struct lane_point *point = &stacks->point;
    enum status status = ways_of(stacks)->lane_of_byte(trace, byte, &point->lane, err);
    if (status == STATUS_OK && !(trace->index && recalled_byte(trace->index, byte, point)))
        ways_of(stacks)->find_byte(trace, byte, point);
    return status;
}

// The point after an entry of a function.
static enum status find_entry(struct recalled *stacks, const struct position *position,
                              const char *text, struct error *err)
{
    uint64_t visit = position->visit;
    if (strpbrk(text, "0123456789") == text + strlen("pc:"))
        return error_set(err, STATUS_INPUT,
                         "%s has no addresses: pc:NAME or pc:#ID is a function's entry",
                         trace_of(stacks)->kind->words.a);
    ways_of(stacks)->find_entry(trace_of(stacks), position->value, &visit, &stacks->point);
    if (!visit)
        return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND, "%s is entered %" PRIu64 " times, not %" PRIu64,
                     names_of(&session_of(stacks)->names, position->value), position->visit - visit,
                     position->visit);
}

static enum status find_event(struct recalled *stacks, uint64_t event, struct error *err)
{
    const struct trace *trace = trace_of(stacks);
    stacks->point.events = event + 1;
    if (stacks->point.lane == LANE_POINT_ANY && ways_of(stacks)->lane_count(trace) > 1)
        return error_set(err, STATUS_INPUT,
                         "events are counted in each %s; say which (--lane NAME)",
                         trace->kind->words.lane);
    return stacks->point.events ? STATUS_OK : error_set(err, STATUS_INPUT, "no such event");
}

// Seconds count from the first event of all lanes.
static enum status find_seconds(struct recalled *stacks, uint64_t ns, struct error *err)
{
    struct trace *trace = session_of(stacks)->trace;
    uint64_t *last_time = &stacks->point.last_time;
    enum status status = trace_first_time(trace, last_time, err);
    uint64_t ticks = ticks_to_ns(ns, trace_frequency_hz(trace));
    if (status == STATUS_OK && __builtin_add_overflow(*last_time, ticks, last_time))
        *last_time = UINT64_MAX;
    return status;
}

static enum status find_point(struct recalled *stacks, const struct position *position,
                              const char *text, struct error *err)
{
    struct lane_point *point = &stacks->point;
    point->last_time = point->events = UINT64_MAX;
    switch (position->kind) {
    case POSITION_START:
        point->events = 0;
        return STATUS_OK;
    case POSITION_END:
        return STATUS_OK;
    case POSITION_TIME:
        point->last_time = position->value;
        return position->is_fraction ? find_seconds(stacks, position->ns, err) : STATUS_OK;
    case POSITION_EVENT:
        return find_event(stacks, position->value, err);
    case POSITION_BYTE:
        return find_byte(stacks, position->value, err);
    case POSITION_PC:
        return find_entry(stacks, position, text, err);
    default:
        return error_set(err, STATUS_INPUT,
                         "for %s use time:N, event:N, byte:N, pc:NAME, start or end",
                         trace_of(stacks)->kind->words.a);
    }
}

static bool parse_point(struct recalled *stacks)
{
    struct command *command = stacks->command;
    const struct filter *filter = &session_of(stacks)->filter;
    const char *text = command->at ? command->at : "end";
    struct position position;
    struct point_names symbols = {.names = &session_of(stacks)->names, .index = NULL, .isa = 0};
    const struct expression_names names = point_names(&symbols);
    struct lane_names lanes;
    struct error err;
    stacks->point.lane = LANE_POINT_ANY;
    if (filter->lane && !find_lane(stacks, filter->lane, &lanes)) {
        filter_no_lane(filter, command->session.path, &lanes, &err);
        return command_fail(command, &err);
    }
    enum status result = file_position_parse(&position, text, &names, trace_of(stacks), &err);
    if (result == STATUS_OK)
        result = find_point(stacks, &position, text, &err);
    return result == STATUS_OK || query_text_fail(command, "--at", text, &err);
}

// --- From an index -------------------------------------------------------------------------------

// Continues without the index, which is damaged.
static void forget(struct command *command)
{
    session_tell_damaged(&command->session, command->session.trace->index);
    command->session.names.index = NULL;
    trace_forget_index(command->session.trace);
    pass_result_free(&command->session.result);
}

// Options request an index: it is built if none fits, or the command ends.
static bool build_index(struct command *command)
{
    struct session *session = &command->session;
    struct error err;
    if (!session->index.path && session->index.use == INDEX_AS_NEEDED)
        return true;
    enum status result = session_index(session, INDEX_FOR_PASS, &err);
    if (!command_passed(command, result, &err))
        return false;
    if (session->pass_input != PASS_OVER_NOTHING || session->index.use != INDEX_ONLY)
        return true;
    command->status = command_sum_up(command);
    return false;
}

// Fills the result and the names from the current index, without reading its rows.
static enum status recall_lanes(struct command *command, struct error *err)
{
    struct trace *trace = command->session.trace;
    const struct pass_options options = session_pass_options(&command->session, NULL, NULL);
    enum status status = names_take_index(&command->session.names, trace->index, err);
    pass_result_free(&command->session.result);
    if (status == STATUS_OK)
        status = trace->kind->indexing.read(trace, trace->index, err);
    if (status == STATUS_OK)
        status = trace->kind->direct->stacks.recall(trace, &options, &command->session.result, err);
    return status;
}

// Opens an index that fits; a damaged one is not used. False: the command ends.
static bool recall_result(struct command *command)
{
    struct trace *trace = command->session.trace;
    struct error err;
    enum status found = session_index(&command->session, INDEX_FOR_NAMES, &err);
    trace->index = session_release_view(&command->session);
    if (found == STATUS_OK && !trace->index && !build_index(command))
        return false;
    if (found == STATUS_OK && trace->index)
        found = recall_lanes(command, &err);
    if (found == STATUS_OK)
        return true;
    if (!trace->index || found == STATUS_MEMORY)
        return command_fail(command, &err);
    forget(command);
    return true;
}

// *is_recalled false: the trace must be read.
static enum status recall(struct recalled *stacks, bool *is_recalled, struct error *err)
{
    struct command *command = stacks->command;
    const struct pass_result *result = &command->session.result;
    struct trawl_index *index = trace_of(stacks)->index;
    enum trawl_status status = TRAWL_OK;
    *is_recalled = false;
    if (!index)
        return STATUS_OK;
    for (size_t i = 0; status == TRAWL_OK && i < result->lane_count; i++) {
        if (stacks->point.lane == LANE_POINT_ANY || stacks->point.lane == i)
            status = recalled_stack(index, i, result->lanes[i].events, &stacks->point,
                                    &stacks->lanes[i]);
    }
    if (status == TRAWL_MEMORY)
        return error_set(err, STATUS_MEMORY, "%s: no memory", command->session.path);
    *is_recalled = status == TRAWL_OK;
    if (!*is_recalled)
        forget(command);
    return STATUS_OK;
}

// --- The report ----------------------------------------------------------------------------------

struct frame_cells {
    uint64_t number, event, time, position, ticks, hz, depth;
    const char *function, *lane;
    const uint64_t *id;
};

#define VALUE(name) FIELD_VALUE(struct frame_cells, name)
#define OF(name) FIELD_OF(struct frame_cells, name)

static const struct field fields[] = {
    {"Frame", "frame", COLUMN_U64, VALUE(number)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Id", "function_id", COLUMN_U64, VALUE(id)},
    {"Lane", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Event", "event", COLUMN_U64, VALUE(event)},
    {"Time", "time", COLUMN_TICKS, VALUE(time)},
    {"Byte", "position", COLUMN_U64, VALUE(position)},
    {"Since entry", "ticks", COLUMN_TICKS, VALUE(ticks)},
    {"Since entry", "seconds", COLUMN_SECONDS, VALUE(ticks), OF(hz)},
    {"Depth", "depth", COLUMN_U64, VALUE(depth)},
};

static void put_stack(struct recalled *stacks, size_t number)
{
    struct command *command = stacks->command;
    const struct lane_stack *stack = &stacks->lanes[number];
    // For a point in time, calls last until then.
    uint64_t last_time = stacks->point.last_time;
    uint64_t now = last_time == UINT64_MAX ? stack->time : last_time;
    size_t shown = 0;
    while (shown < stack->frames.count &&
           !session_hides(&command->session, stack->frames.items[shown].pc))
        shown++;
    command->session.hidden.frames += stack->frames.count - shown;
    for (size_t i = shown; i > 0; i--) {
        const struct lane_frame *frame = &stack->frames.items[i - 1];
        uint64_t id;
        command_row(command,
                    &(struct frame_cells){.number = stack->frames.count - i,
                                          .function = names_of(&command->session.names, frame->pc),
                                          .id = command_function_id(frame->pc, &id),
                                          .lane = command->session.result.lanes[number].name,
                                          .event = frame->event,
                                          .time = frame->time,
                                          .position = frame->position,
                                          .ticks = now - frame->time,
                                          .hz = trace_frequency_hz(command->session.trace),
                                          .depth = i},
                    NULL);
    }
}

static enum status read_all(void *self, struct trace *trace, const struct pass_options *options,
                            const struct pass_observer *observer, struct pass_result *result,
                            struct error *err)
{
    const struct recalled *stacks = self;
    (void)observer;
    return trace->kind->direct->stacks.read(trace, options, &stacks->point, stacks->lanes, result,
                                            err);
}

// Finds the stacks, from the index or the trace.
static bool find_stacks(struct recalled *stacks)
{
    struct command *command = stacks->command;
    struct error err;
    bool is_recalled;
    if (recall(stacks, &is_recalled, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (is_recalled) {
        enum status result = session_report_damage(&command->session, &err);
        if (result == STATUS_OK)
            result = session_judge(&command->session, &err);
        return command_passed(command, result, &err);
    }
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.self = stacks;
    request.run = read_all;
    return command_request(command, &request);
}

bool lane_stacks_report(struct command *command)
{
    struct recalled stacks = {.command = command};
    if (!recall_result(command) || !parse_point(&stacks))
        return false;
    size_t count = ways_of(&stacks)->lane_count(trace_of(&stacks));
    stacks.lanes = calloc(count + 1, sizeof *stacks.lanes);
    if (!stacks.lanes)
        return command_no_memory(command);
    bool is_done = find_stacks(&stacks) && command_fields(command, fields, ARRAY_COUNT(fields), 0);
    for (size_t i = 0; is_done && i < command->session.result.lane_count; i++)
        put_stack(&stacks, i);
    bool is_empty = true;
    for (size_t i = 0; i < count; i++) {
        is_empty &= stacks.lanes[i].frames.count == 0;
        free(stacks.lanes[i].frames.items);
    }
    if (is_done && is_empty)
        diag_note(&command->diag, "no call is open there; --at POS takes another point");
    free(stacks.lanes);
    return is_done;
}
