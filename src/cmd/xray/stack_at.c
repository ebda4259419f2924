#include "cmd/xray/stack_at.h"
#include "cmd/trace_listener.h"
#include "cmd/trace_open.h"
#include "cmd/trace_pass.h"
#include "session/index_plan.h"
#include "session/pass_index.h"

#include "idx/trawl.h"
#include "trace/xray/xray.h"

#include <inttypes.h>
#include <stdlib.h>

#define ANY_LANE SIZE_MAX

// Where the point is: after all function records of a lane up to this time, and of so many events.
struct point {
    size_t lane; // ANY_LANE: of each
    uint64_t last_time;
    uint64_t events;
};

// An open call.
struct frame {
    uint64_t time, event, offset; // of its entry
    uint32_t function;
};

// What one lane's stack is there.
struct lane_stack {
    VEC(, struct frame) frames; // the outermost first
    uint64_t time;              // of the last function record up to the point
    bool has_passed;            // a record after the point was met
};

struct stacks {
    struct query *query;
    struct point point;
    struct lane_stack *lanes;
};

struct walk {
    const struct point *point;
    struct lane_stack *stack;
};

// --- The point -----------------------------------------------------------------------------------

static bool find_lane(const struct stacks *stacks, const char *name, size_t *lane)
{
    const struct xray_log *log = &xray_of(stacks->query->common.session.trace)->log;
    for (size_t i = 0; i < log->threads.count; i++) {
        char text[XRAY_THREAD_NAME_BYTES];
        xray_thread_name(log, &log->threads.items[i], text);
        if (strcmp(text, name) == 0) {
            *lane = i;
            return true;
        }
    }
    return false;
}

static void name_threads(const struct stacks *stacks, struct lane_names *names)
{
    const struct xray_log *log = &xray_of(stacks->query->common.session.trace)->log;
    *names = (struct lane_names){.kind = xray_kind.words.lane};
    for (size_t i = 0; i < log->threads.count; i++) {
        char text[XRAY_THREAD_NAME_BYTES];
        xray_thread_name(log, &log->threads.items[i], text);
        lane_names_add(names, text);
    }
}

// The buffer that holds the byte.
static bool find_buffer(const struct xray_log *log, uint64_t byte, uint64_t *number)
{
    for (uint64_t i = 0; i < log->buffers.count; i++) {
        const struct xray_buffer *buffer = &log->buffers.items[i];
        if (byte >= buffer->offset && byte - buffer->offset < buffer->size_bytes) {
            *number = i;
            return true;
        }
    }
    return false;
}

// The same by the index. False: that is damaged.
static bool recall_byte(struct point *point, struct trawl_index *index, uint64_t byte)
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

// The point after the last function record of the byte's thread that begins at or before it.
static enum status find_byte(struct stacks *stacks, uint64_t byte, struct error *err)
{
    struct trace_command *command = &stacks->query->common;
    const struct xray_log *log = &xray_of(command->session.trace)->log;
    struct point *point = &stacks->point;
    struct xray_cursor cursor;
    struct xray_record record;
    uint64_t number;
    if (!find_buffer(log, byte, &number))
        return error_set(err, STATUS_NOT_FOUND, "byte %" PRIu64 " is in no buffer", byte);
    point->lane = log->buffers.items[number].thread;
    if (command->session.trace->index && recall_byte(point, command->session.trace->index, byte))
        return STATUS_OK;
    point->events = 0;
    xray_cursor_thread(&cursor, log, (uint32_t)point->lane);
    while (xray_next(&cursor, &record)) {
        if (cursor.buffer_index > number || (cursor.buffer_index == number && record.offset > byte))
            break;
        point->events += xray_is_function(record.kind);
    }
    return STATUS_OK;
}

// Looks for an entry of the function in a thread: the *visit-th, which is then 0; else *visit is
// less what the thread has of them.
static void find_entry_in(struct point *point, const struct xray_log *log, uint32_t thread,
                          uint32_t function, uint64_t *visit)
{
    struct xray_cursor cursor;
    struct xray_record record;
    uint64_t events = 0;
    xray_cursor_thread(&cursor, log, thread);
    while (*visit && xray_next(&cursor, &record)) {
        events += xray_is_function(record.kind);
        *visit -= xray_is_enter(record.kind) && record.function == function;
    }
    point->lane = thread;
    point->events = events;
}

// The point after an entry of a function: in the thread that is asked for, or counted through all
// of them in their order.
static enum status find_entry(struct stacks *stacks, const struct position *position,
                              const char *text, struct error *err)
{
    const struct xray_log *log = &xray_of(stacks->query->common.session.trace)->log;
    struct point *point = &stacks->point;
    uint32_t function = function_id(position->value);
    uint64_t visit = position->visit, wanted_lane = point->lane;
    if (strpbrk(text, "0123456789") == text + strlen("pc:"))
        return error_set(err, STATUS_INPUT,
                         "an XRay log has no addresses: pc:NAME or pc:#ID is a function's entry");
    for (uint32_t thread = 0; thread < log->threads.count && visit; thread++) {
        if (wanted_lane == ANY_LANE || wanted_lane == thread)
            find_entry_in(point, log, thread, function, &visit);
    }
    if (!visit)
        return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND, "%s is entered %" PRIu64 " times, not %" PRIu64,
                     names_of(&stacks->query->common.session.names, position->value),
                     position->visit - visit, position->visit);
}

static enum status find_point(struct stacks *stacks, const struct position *position,
                              const char *text, struct error *err)
{
    struct point *point = &stacks->point;
    const struct xray_log *log = &xray_of(stacks->query->common.session.trace)->log;
    point->last_time = point->events = UINT64_MAX;
    switch (position->kind) {
    case POSITION_START:
        point->events = 0;
        return STATUS_OK;
    case POSITION_END:
        return STATUS_OK;
    case POSITION_TIME:
        point->last_time = position->value;
        return STATUS_OK;
    case POSITION_EVENT:
        point->events = position->value + 1;
        if (point->lane == ANY_LANE && log->threads.count > 1)
            return error_set(err, STATUS_INPUT,
                             "events are counted in each thread; say which (--lane NAME)");
        return point->events ? STATUS_OK : error_set(err, STATUS_INPUT, "no such event");
    case POSITION_BYTE:
        return find_byte(stacks, position->value, err);
    case POSITION_PC:
        return find_entry(stacks, position, text, err);
    default:
        return error_set(err, STATUS_INPUT,
                         "of an XRay log it is time:N, event:N, byte:N, pc:NAME, start or end");
    }
}

// False: reported, *status is what to end with.
static bool parse_point(struct stacks *stacks, enum exit_status *status)
{
    struct query *query = stacks->query;
    const char *text = query->at ? query->at : "end", *lane = query->common.session.filter.lane;
    struct position position;
    struct point_names symbols = {&query->common.session.names, NULL, 0};
    const struct expression_names names = point_names(&symbols);
    struct error err;
    stacks->point.lane = ANY_LANE;
    if (lane && !find_lane(stacks, lane, &stacks->point.lane)) {
        struct lane_names lanes;
        name_threads(stacks, &lanes);
        filter_no_lane(&query->common.session.filter, query->common.session.path, &lanes, &err);
        *status = query_error(query, &err);
        return false;
    }
    enum status result = position_parse(&position, text, &names, &err);
    if (result == STATUS_OK)
        result = find_point(stacks, &position, text, &err);
    if (result != STATUS_OK)
        *status = query_text_error(query, "--at", text, &err);
    return result == STATUS_OK;
}

// --- The walk ------------------------------------------------------------------------------------

static bool keep(struct lane_stack *stack, const struct xray_lane *lane, size_t open)
{
    stack->has_passed = true;
    if (!VEC_ROOM(&stack->frames, open))
        return false;
    for (size_t i = 0; i < open; i++) {
        const struct xray_call *call = xray_lane_call(lane, i);
        stack->frames.items[i] = (struct frame){call->tsc, call->path, xray_lane_offset(lane, call),
                                                xray_function(call->who)};
    }
    stack->frames.count = open;
    return true;
}

// Takes note of the function record in hand, before which `open` calls were open.
static ALWAYS_INLINE bool advance(struct walk *walk, const struct xray_lane *lane, size_t open)
{
    struct lane_stack *stack = walk->stack;
    if (stack->has_passed)
        return true;
    if (lane->time > walk->point->last_time || lane->events > walk->point->events)
        return keep(stack, lane, open);
    stack->time = lane->time;
    return true;
}

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    (void)call, (void)record;
    return advance(self, lane, xray_match_depth(&lane->match) - 1);
}

// Before the first of several that one exit ends, all are open.
static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    (void)call, (void)record, (void)is_unwound;
    return advance(self, lane, xray_match_depth(&lane->match));
}

static bool on_unmatched(void *self, struct xray_lane *lane, const struct xray_record *record)
{
    (void)record;
    return advance(self, lane, xray_match_depth(&lane->match));
}

static bool walk_lane(void *self, unsigned worker, struct xray_lane *lane, size_t number)
{
    static const struct xray_visitor visitor = {on_enter, on_leave, on_unmatched, NULL};
    struct stacks *stacks = self;
    struct walk walk = {&stacks->point, &stacks->lanes[number]};
    (void)worker;
    if (stacks->point.lane != ANY_LANE && stacks->point.lane != number)
        return xray_lane_read(lane);
    return xray_lane_walk(lane, &walk, &visitor) &&
           (walk.stack->has_passed || keep(walk.stack, lane, xray_match_depth(&lane->match)));
}

// --- From an index -------------------------------------------------------------------------------

// Event `in_lane` of the lane.
static bool recall_event(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                         struct trawl_event *about)
{
    uint64_t event;
    return trawl_event_of_lane(index, lane, in_lane, &event, NULL) == TRAWL_OK &&
           trawl_event(index, event, about, NULL) == TRAWL_OK;
}

// How many events of the lane are up to the point.
static bool count_events(const struct stacks *stacks, struct trawl_index *index, uint64_t lane,
                         uint64_t *count)
{
    const struct point *point = &stacks->point;
    struct trawl_event about;
    uint64_t event;
    *count = u64_min(stacks->query->common.session.result.lanes[lane].events, point->events);
    if (point->last_time == UINT64_MAX)
        return true;
    if (trawl_event_at_time(index, lane, point->last_time, &event, NULL) != TRAWL_OK)
        return false;
    if (event == TRAWL_START)
        *count = 0;
    else if (trawl_event(index, event, &about, NULL) != TRAWL_OK)
        return false;
    else
        *count = u64_min(*count, about.in_lane + 1);
    return true;
}

static bool recall_frame(struct lane_stack *stack, struct trawl_index *index, uint64_t lane,
                         const struct trawl_call *call)
{
    struct trawl_event entry;
    if (!recall_event(index, lane, call->entry, &entry) || !VEC_ROOM(&stack->frames, 1))
        return false;
    stack->frames.items[stack->frames.count++] = (struct frame){
        .time = entry.time,
        .event = call->entry,
        .offset = entry.position,
        .function = function_id(call->pc),
    };
    return true;
}

static void reverse(struct lane_stack *stack)
{
    struct frame *frames = stack->frames.items;
    for (size_t i = 0, last = stack->frames.count; last && i < --last; i++) {
        const struct frame frame = frames[i];
        frames[i] = frames[last];
        frames[last] = frame;
    }
}

// The stack of a lane. False: the index is damaged, or there is no memory.
static bool recall_lane(struct stacks *stacks, struct trawl_index *index, uint64_t lane)
{
    struct lane_stack *stack = &stacks->lanes[lane];
    struct trawl_event last;
    struct trawl_call call;
    uint64_t count;
    stack->frames.count = 0;
    if (!count_events(stacks, index, lane, &count))
        return false;
    if (!count)
        return true;
    if (!recall_event(index, lane, count - 1, &last))
        return false;
    stack->time = last.time;
    enum trawl_status status = trawl_call_at(index, lane, count - 1, &call, NULL);
    if (status == TRAWL_NOT_FOUND)
        return true;
    while (status == TRAWL_OK && recall_frame(stack, index, lane, &call)) {
        if (call.parent == TRAWL_NONE) {
            reverse(stack);
            return true;
        }
        status = trawl_call(index, lane, call.parent, &call, NULL);
    }
    return false;
}

static void forget(struct trace_command *command)
{
    command->session.names.index = NULL;
    trace_forget_index(command->session.trace);
    pass_result_free(&command->session.result);
}

// As options ask for an index, it is built where none fits, or the command ends.
static bool build_index(struct trace_command *command, enum exit_status *status)
{
    struct session *session = &command->session;
    const struct pass_request request = session_calls(session, NULL, NULL);
    struct error err;
    bool is_done;
    if (!session->index.path && session->index.use == INDEX_AS_NEEDED)
        return true;
    session->is_decided = true;
    enum status result = session_pass_by_index(session, &request, &is_done, &err);
    if (!trace_command_passed(command, result, &err, status))
        return false;
    if (!is_done || session->index.use != INDEX_ONLY)
        return true;
    *status = trace_command_sum_up(command);
    return false;
}

// Fills the result as far as the index in hand tells without its rows; without it where that is
// damaged.
static void recall_lanes(struct trace_command *command)
{
    struct trace *trace = command->session.trace;
    const struct pass_options options = session_pass_options(&command->session, NULL, NULL);
    struct error err;
    pass_result_free(&command->session.result);
    if (trace->kind->read_index(trace, trace->index, &err) != STATUS_OK ||
        xray_recall(xray_of(trace), &options, &command->session.result, &err) != STATUS_OK)
        forget(command);
}

// Opens an index that fits. False: the command ends with *status.
static bool recall_result(struct trace_command *command, enum exit_status *status)
{
    struct trace *trace = command->session.trace;
    struct error err;
    trace->index = index_plan_open(&command->session);
    if (names_take_index(&command->session.names, trace->index, &err) != STATUS_OK)
        trace_forget_index(trace); // it is damaged, and the log says all but names
    if (!trace->index && !build_index(command, status))
        return false;
    if (trace->index)
        recall_lanes(command);
    return true;
}

// False: the log has to be read.
static bool recall(struct stacks *stacks)
{
    struct trace_command *command = &stacks->query->common;
    bool is_recalled = command->session.trace->index != NULL;
    for (size_t i = 0; i < xray_of(command->session.trace)->log.threads.count && is_recalled; i++) {
        if (stacks->point.lane == ANY_LANE || stacks->point.lane == i)
            is_recalled = recall_lane(stacks, command->session.trace->index, i);
    }
    if (!is_recalled && command->session.trace->index)
        forget(command);
    return is_recalled;
}

// --- The report ----------------------------------------------------------------------------------

static const struct column columns[] = {
    {"Frame", "frame", COLUMN_U64},         {"Function", "function", COLUMN_TEXT},
    {"Id", "function_id", COLUMN_U64},      {"Thread", "lane", COLUMN_TEXT},
    {"Event", "event", COLUMN_U64},         {"Time", "time", COLUMN_U64},
    {"Byte", "position", COLUMN_U64},       {"Ticks", "ticks", COLUMN_U64},
    {"Seconds", "seconds", COLUMN_SECONDS}, {"Depth", "depth", COLUMN_U64},
};

static void put_stack(struct stacks *stacks, struct table *table, size_t number)
{
    struct trace_command *command = &stacks->query->common;
    const struct lane_stack *stack = &stacks->lanes[number];
    // Up to a time, calls last until then.
    uint64_t last_time = stacks->point.last_time;
    uint64_t now = last_time == UINT64_MAX ? stack->time : last_time;
    for (size_t i = stack->frames.count; i > 0; i--) {
        const struct frame *frame = &stack->frames.items[i - 1];
        uint64_t pc = function_pc(frame->function);
        table_u64(table, stack->frames.count - i);
        table_text(table, names_of(&command->session.names, pc));
        trace_command_function_id(table, pc);
        table_text(table, command->session.result.lanes[number].name);
        table_u64(table, frame->event);
        table_u64(table, frame->time);
        table_u64(table, frame->offset);
        table_u64(table, now - frame->time);
        table_seconds(table, now - frame->time, trace_frequency_hz(command->session.trace));
        table_u64(table, i);
    }
}

static enum exit_status report(struct stacks *stacks)
{
    struct trace_command *command = &stacks->query->common;
    struct table table;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status) ||
        !trace_command_table(command, &table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    for (size_t i = 0; i < command->session.result.lane_count; i++)
        put_stack(stacks, &table, i);
    table_end(&table);
    return trace_command_end(command, &out);
}

static bool end_recalled(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    enum status result = session_report_damage(&command->session, &err);
    if (result == STATUS_OK)
        result = session_judge(&command->session, &err);
    return trace_command_passed(command, result, &err, status);
}

static enum status walk_all(void *self, struct trace *trace, const struct pass_options *options,
                            const struct pass_observer *observer, struct pass_result *result,
                            struct error *err)
{
    (void)observer;
    return xray_walk_all(xray_of(trace), options, options->threads, self, walk_lane, result, err);
}

static bool read_log(struct stacks *stacks, enum exit_status *status)
{
    struct trace_command *command = &stacks->query->common;
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.self = stacks;
    request.run = walk_all;
    return trace_command_request(command, &request, status);
}

enum exit_status xray_stack(struct query *query, enum unwind_method how)
{
    if (how != UNWIND_AS_USUAL && how != UNWIND_BY_AUTO && how != UNWIND_BY_CALLS)
        return query_refuse(query, "an XRay log has no registers to unwind from");
    struct trace_command *command = &query->common;
    struct stacks stacks = {.query = query};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_open_images(command, &status))
        return status;
    size_t count = xray_of(command->session.trace)->log.threads.count;
    if (!recall_result(command, &status))
        return status;
    if (!parse_point(&stacks, &status))
        return status;
    stacks.lanes = calloc(count + 1, sizeof *stacks.lanes);
    if (!stacks.lanes) {
        struct error err;
        error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
        return query_error(query, &err);
    }
    bool is_found = recall(&stacks) ? end_recalled(command, &status) : read_log(&stacks, &status);
    if (is_found)
        status = report(&stacks);
    for (size_t i = 0; i < count; i++)
        free(stacks.lanes[i].frames.items);
    free(stacks.lanes);
    return status;
}
