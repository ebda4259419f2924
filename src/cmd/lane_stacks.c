#include "cmd/lane_stacks.h"

#include "cli/values.h"
#include "cmd/trace_listener.h"
#include "cmd/trace_pass.h"
#include "query/recalled_stacks.h"
#include "session/hidden.h"
#include "session/passes.h"
#include "session/session_index.h"

#include <inttypes.h>
#include <stdlib.h>

struct stacks {
    struct command *query;
    struct lane_point point;
    struct lane_stack *lanes;
};

static struct session *session_of(const struct stacks *stacks)
{
    return &stacks->query->session;
}

static struct trace *trace_of(const struct stacks *stacks)
{
    return session_of(stacks)->trace;
}

static const struct trace_lane_stacks *ways_of(const struct stacks *stacks)
{
    return &trace_of(stacks)->kind->direct->stacks;
}

// --- The point -----------------------------------------------------------------------------------

// Finds the lane with that name; otherwise lists all names.
static bool find_lane(struct stacks *stacks, const char *wanted, struct lane_names *names)
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

static enum status find_byte(struct stacks *stacks, uint64_t byte, struct error *err)
{
    const struct trace *trace = trace_of(stacks);
    struct lane_point *point = &stacks->point;
    enum status status = ways_of(stacks)->lane_of_byte(trace, byte, &point->lane, err);
    if (status == STATUS_OK && !(trace->index && recalled_byte(trace->index, byte, point)))
        ways_of(stacks)->find_byte(trace, byte, point);
    return status;
}

// The point after an entry of a function.
static enum status find_entry(struct stacks *stacks, const struct position *position,
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

static enum status find_event(struct stacks *stacks, uint64_t event, struct error *err)
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
static enum status find_seconds(struct stacks *stacks, uint64_t ns, struct error *err)
{
    struct trace *trace = session_of(stacks)->trace;
    uint64_t *last_time = &stacks->point.last_time;
    enum status status = trace_first_time(trace, last_time, err);
    uint64_t ticks = ticks_to_ns(ns, trace_frequency_hz(trace));
    if (status == STATUS_OK && __builtin_add_overflow(*last_time, ticks, last_time))
        *last_time = UINT64_MAX;
    return status;
}

static enum status find_point(struct stacks *stacks, const struct position *position,
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

// False: reported, *status is what to end with.
static bool parse_point(struct stacks *stacks, enum exit_status *status)
{
    struct command *query = stacks->query;
    const struct filter *filter = &session_of(stacks)->filter;
    const char *text = query->at ? query->at : "end";
    struct position position;
    struct point_names symbols = {&session_of(stacks)->names, NULL, 0};
    const struct expression_names names = point_names(&symbols);
    struct lane_names lanes;
    struct error err;
    stacks->point.lane = LANE_POINT_ANY;
    if (filter->lane && !find_lane(stacks, filter->lane, &lanes)) {
        filter_no_lane(filter, query->session.path, &lanes, &err);
        *status = query_error(query, &err);
        return false;
    }
    enum status result = file_position_parse(&position, text, &names, trace_of(stacks), &err);
    if (result == STATUS_OK)
        result = find_point(stacks, &position, text, &err);
    if (result != STATUS_OK)
        *status = query_text_error(query, "--at", text, &err);
    return result == STATUS_OK;
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
static bool build_index(struct command *command, enum exit_status *status)
{
    struct session *session = &command->session;
    struct error err;
    if (!session->index.path && session->index.use == INDEX_AS_NEEDED)
        return true;
    enum status result = session_index(session, INDEX_FOR_PASS, &err);
    if (!command_passed(command, result, &err, status))
        return false;
    if (session->pass_input != PASS_OVER_NOTHING || session->index.use != INDEX_ONLY)
        return true;
    *status = command_sum_up(command);
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

// Opens an index that fits; a damaged one is not used. False: the command ends with *status.
static bool recall_result(struct command *command, enum exit_status *status)
{
    struct trace *trace = command->session.trace;
    struct error err;
    enum status found = session_index(&command->session, INDEX_FOR_NAMES, &err);
    trace->index = session_release_view(&command->session);
    if (found == STATUS_OK && !trace->index && !build_index(command, status))
        return false;
    if (found == STATUS_OK && trace->index)
        found = recall_lanes(command, &err);
    if (found == STATUS_OK)
        return true;
    if (!trace->index || found == STATUS_MEMORY) {
        *status = command_error(command, &err);
        return false;
    }
    forget(command);
    return true;
}

// *is_recalled false: the trace must be read.
static enum status recall(struct stacks *stacks, bool *is_recalled, struct error *err)
{
    struct command *command = stacks->query;
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

static const struct column columns[] = {
    {"Frame", "frame", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
    {"Id", "function_id", COLUMN_U64},
    {"Lane", "lane", COLUMN_TEXT},
    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_TICKS},
    {"Byte", "position", COLUMN_U64},
    {"Since entry", "ticks", COLUMN_TICKS},
    {"Since entry", "seconds", COLUMN_SECONDS},
    {"Depth", "depth", COLUMN_U64},
};

static void put_stack(struct stacks *stacks, struct table *table, size_t number)
{
    struct command *command = stacks->query;
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
        table_u64(table, stack->frames.count - i);
        table_text(table, names_of(&command->session.names, frame->pc));
        command_function_id(table, frame->pc);
        table_text(table, command->session.result.lanes[number].name);
        table_u64(table, frame->event);
        table_u64(table, frame->time);
        table_u64(table, frame->position);
        table_u64(table, now - frame->time);
        table_seconds(table, now - frame->time, trace_frequency_hz(command->session.trace));
        table_u64(table, i);
    }
}

static enum exit_status report(struct stacks *stacks)
{
    struct command *command = stacks->query;
    struct table table;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_output(command, &out, &status) ||
        !command_table(command, &table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    for (size_t i = 0; i < command->session.result.lane_count; i++)
        put_stack(stacks, &table, i);
    table_end(&table);
    return command_end(command, &out);
}

static bool end_recalled(struct command *command, enum exit_status *status)
{
    struct error err;
    enum status result = session_report_damage(&command->session, &err);
    if (result == STATUS_OK)
        result = session_judge(&command->session, &err);
    return command_passed(command, result, &err, status);
}

static enum status read_all(void *self, struct trace *trace, const struct pass_options *options,
                            const struct pass_observer *observer, struct pass_result *result,
                            struct error *err)
{
    const struct stacks *stacks = self;
    (void)observer;
    return trace->kind->direct->stacks.read(trace, options, &stacks->point, stacks->lanes, result,
                                            err);
}

static bool read_trace(struct stacks *stacks, enum exit_status *status)
{
    struct command *command = stacks->query;
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.self = stacks;
    request.run = read_all;
    return command_request(command, &request, status);
}

static enum exit_status refuse_unwinding(struct command *query)
{
    char text[80];
    snprintf(text, sizeof text, "%s has no registers to unwind from",
             query->session.trace->kind->words.a);
    return query_refuse(query, text);
}

// The stacks, from the index or the trace. False: the command ends with *status.
static bool find_stacks(struct stacks *stacks, enum exit_status *status)
{
    struct command *command = stacks->query;
    struct error err;
    bool is_recalled;
    if (recall(stacks, &is_recalled, &err) != STATUS_OK) {
        *status = query_error(stacks->query, &err);
        return false;
    }
    return is_recalled ? end_recalled(command, status) : read_trace(stacks, status);
}

// Reports at a known point.
static enum exit_status report_at(struct stacks *stacks)
{
    struct command *command = stacks->query;
    size_t count = ways_of(stacks)->lane_count(trace_of(stacks));
    enum exit_status status = EXIT_STATUS_FAILED;
    stacks->lanes = calloc(count + 1, sizeof *stacks->lanes);
    if (!stacks->lanes) {
        struct error err;
        error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
        return query_error(stacks->query, &err);
    }
    if (find_stacks(stacks, &status))
        status = report(stacks);
    for (size_t i = 0; i < count; i++)
        free(stacks->lanes[i].frames.items);
    free(stacks->lanes);
    return status;
}

enum exit_status lane_stacks_command(struct command *query, enum unwind_method how)
{
    struct stacks stacks = {.query = query};
    enum exit_status status = EXIT_STATUS_FAILED;
    if (how != UNWIND_AS_USUAL && how != UNWIND_BY_AUTO && how != UNWIND_BY_CALLS)
        return refuse_unwinding(query);
    if (!command_open_images(query, &status) || !recall_result(query, &status) ||
        !parse_point(&stacks, &status))
        return status;
    return report_at(&stacks);
}
