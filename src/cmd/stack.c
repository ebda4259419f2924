// stack: the calls that are active at a point of the trace.
#include "cmd/commands.h"
#include "cmd/query.h"
#include "cmd/xray_stack.h"
#include "cmd/xray_trace.h"

static const struct column columns[] = {
    {"Frame", "frame", COLUMN_U64},        {"PC", "pc", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT}, {"Core", "lane", COLUMN_TEXT},
    {"Entry", "entry", COLUMN_ADDRESS},    {"Event", "event", COLUMN_U64},
    {"Time", "time", COLUMN_U64},          {"Line", "line", COLUMN_U64},
    {"Depth", "depth", COLUMN_U64},        {"Source", "source", COLUMN_TEXT},
};

struct frames {
    struct query *query;
    struct table *table;
    uint64_t lane;
    uint64_t count;
};

static enum status event_of(const struct frames *frames, uint64_t in_lane,
                            struct trawl_event *about, struct error *err)
{
    struct trawl_error from;
    struct trawl_index *index = frames->query->session.index;
    uint64_t event;
    enum trawl_status status = trawl_event_of_lane(index, frames->lane, in_lane, &event, &from);
    if (status == TRAWL_OK)
        status = trawl_event(index, event, about, &from);
    return session_status(status, &from, err);
}

// The frame that began with `entry` and stands at `now`.
static void put_frame(struct frames *frames, const struct trawl_event *now,
                      const struct trawl_event *entry, uint64_t depth)
{
    struct table *table = frames->table;
    table_u64(table, frames->count++);
    if (now->flags & TRAWL_HAS_INSTRUCTION) {
        table_address(table, now->pc & ~UINT64_C(1));
        table_text(table, query_name(frames->query, now->pc));
    } else {
        table_none(table);
        table_text(table, query_name(frames->query, entry->pc));
    }
    table_text(table, query_lane_name(frames->query, frames->lane));
    table_address(table, entry->pc & ~UINT64_C(1));
    table_u64(table, entry->event);
    table_u64(table, entry->time);
    table_u64(table, entry->line);
    table_u64(table, depth);
    table_text(table, "calls");
}

// The frames of calls, from the innermost out. `now` becomes the event that the outermost was
// called from.
static enum status put_calls(struct frames *frames, struct trawl_event *now, struct error *err)
{
    struct trawl_error from;
    struct trawl_index *index = frames->query->session.index;
    struct trawl_call call;
    enum trawl_status found = trawl_call_at(index, frames->lane, now->in_lane, &call, &from);
    while (found == TRAWL_OK) {
        struct trawl_event entry;
        enum status status = event_of(frames, call.entry, &entry, err);
        if (status != STATUS_OK)
            return status;
        put_frame(frames, now, &entry, call.depth);
        status = event_of(frames, call.entry - 1, now, err);
        if (status != STATUS_OK || call.parent == TRAWL_NONE)
            return status;
        found = trawl_call(index, frames->lane, call.parent, &call, &from);
    }
    return found == TRAWL_NOT_FOUND ? STATUS_OK : session_status(found, &from, err);
}

static enum status put_frames(struct query *query, struct table *table, struct error *err)
{
    struct frames frames = {.query = query, .table = table};
    struct trawl_event now, root;
    enum status status = query_lane(query, query->event, &frames.lane, &now, err);
    uint64_t first = query->session.lanes[frames.lane].root;
    if (status != STATUS_OK || now.event == TRAWL_START || first == TRAWL_NONE ||
        now.in_lane < first)
        return status;
    if ((status = put_calls(&frames, &now, err)) == STATUS_OK &&
        (status = event_of(&frames, first, &root, err)) == STATUS_OK)
        put_frame(&frames, &now, &root, 0);
    return status;
}

static enum exit_status report(void *self)
{
    struct query *query = self;
    struct out out;
    struct table table;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(&query->common, &out, &status) ||
        !trace_command_table(&query->common, &table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    enum status result = put_frames(query, &table, &err);
    table_end(&table);
    return query_end(query, &out, result, &err);
}

static enum exit_status stack_of(struct query *query)
{
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!xray_trace_open(&query->common, &status))
        return status;
    return query->common.xray ? xray_stack(query) : query_run(query, report, query);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct query query;
    struct options_parser parser;
    query_begin(&query, self);
    query.common.takes_xray = true;
    enum exit_status status =
        query_options(&query, &parser, argc, argv, NULL) ? stack_of(&query) : parser.status;
    query_free(&query);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "line:N, time:N, event:N, byte:N, pc:ADDR[#K], start or end (default)"},
    {OPTION_LANE, 0, "lane", "NAME",
     "the stack of this core, by its name in the trace (default: the one that POS is in)"},
    {OPTION_FORMAT, 0, "format", "FORMAT", "table (default), csv or json"},
    {OPTION_DEDUCE, 0, "deduce-sibling-calls", NULL,
     "XRay: the exit of a function further out also ends the calls inside of it"},
    {0},
};

const struct command_spec stack_command = {
    .name = "stack",
    .manner = MANNER_TRAWL,
    .summary = "the call stack at a point",
    .description =
        "Lists the calls that are active behind the event at POS, the innermost first: where each "
        "stands (its last instruction, or the one that called the next) and where it was entered. "
        "Source is how the frame is known: from the calls that the trace shows.\n"
        "Of an XRay log, which is read for it: the calls of each thread, or of the one that POS or "
        "--lane tells, with the ticks since each was entered; events are counted in the thread.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", query_trace_options},
                                            {"how to run", query_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples = "trawl stack --image prog.elf run.tarmac --at line:51042\n"
                "trawl stack --image prog.elf hung.tarmac\n",
    .run = run,
};
