// waits: where threads recorded nothing for long. A log has entries and exits, not what the
// scheduler did, so this is what it can say of a thread that is blocked: nothing was recorded of it
// from one function record to the next, and which calls were open. That it really was switched away
// is certain only if the next record was made on another processor.
#include "cli/values.h"
#include "cmd/xray/command.h"
#include "flow/context_tree.h"
#include "report/table.h"
#include "trace/xray/lane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_MIN_DURATION = XRAY_OPTION_OWN, OPTION_TOP, OPTION_FORMAT };

#define USUAL_MINIMUM "1ms"

// The waits of a thread with one stack.
struct wait {
    const struct xray_input *input;
    uint32_t thread, node; // of the log; of the tree of stacks
    uint64_t count, moved; // moved: those that ended on another processor
    uint64_t ticks, longest, longest_at;
    uint64_t since_begin; // of the first record of the log
};

struct waits_command {
    struct xray_command common;
    const char *minimum; // as typed
    uint64_t min_ns, min_ticks, top;
    enum table_format format;
    struct context_tree stacks;
    VEC(, struct wait) waits;
    bool lacks_memory;
};

// --- Finding them --------------------------------------------------------------------------------

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    (void)self, (void)lane, (void)call, (void)record;
    return true;
}

static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    (void)self, (void)lane, (void)call, (void)record, (void)is_unwound;
    return true;
}

static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};

// The calls that are open in the lane, as a context below `root`; of very deep ones the innermost.
static uint32_t stack_of(struct waits_command *command, const struct xray_lane *lane, uint32_t root)
{
    size_t depth = xray_match_depth(&lane->match);
    uint32_t node = root;
    for (size_t i = depth - u64_min(depth, LIMIT_COLLAPSED_LEVELS); i < depth && node; i++)
        node = context_tree_enter(&command->stacks, node,
                                  function_pc(xray_function(xray_lane_call(lane, i)->who)));
    return node;
}

// Adds a wait that begins at the lane's last record. A context has its wait's number + 1 as count.
static bool add_wait(struct waits_command *command, const struct xray_input *input,
                     const struct xray_lane *lane, uint32_t thread, uint32_t root, uint64_t ticks,
                     bool is_moved)
{
    uint32_t at = stack_of(command, lane, root);
    if (at == CONTEXT_NONE || !VEC_ROOM(&command->waits, 1))
        return false;
    struct context_node *node = &command->stacks.nodes.items[at];
    if (!node->count) {
        command->waits.items[command->waits.count++] =
            (struct wait){.input = input, .thread = thread, .node = at};
        node->count = command->waits.count;
    }
    struct wait *wait = &command->waits.items[node->count - 1];
    wait->count++;
    wait->moved += is_moved;
    wait->ticks += ticks;
    if (ticks > wait->longest) {
        wait->longest = ticks;
        wait->longest_at = lane->time;
    }
    return true;
}

// False: no memory.
static bool walk_thread(struct waits_command *command, const struct xray_input *input,
                        uint32_t thread, struct xray_lane *lane)
{
    struct xray_record record;
    struct xray_cursor cursor = lane->cursor;
    uint16_t cpu = 0;
    uint32_t root = context_tree_child(&command->stacks, CONTEXT_NONE, 0);
    bool has_memory = root != CONTEXT_NONE;
    while (has_memory && xray_next(&cursor, &record)) {
        if (xray_is_function(record.kind)) {
            uint64_t ticks = lane->events && record.tsc > lane->time ? record.tsc - lane->time : 0;
            if (lane->events && ticks >= command->min_ticks)
                has_memory = add_wait(command, input, lane, thread, root, ticks, cursor.cpu != cpu);
            cpu = cursor.cpu;
        }
        has_memory = has_memory && xray_lane_take_any(lane, &record, NULL, &visitor);
    }
    return has_memory;
}

static bool walk_log(struct waits_command *command, struct xray_input *input)
{
    struct trace_damage damage = {0};
    struct xray_exits exits = {0};
    uint64_t first_time = UINT64_MAX;
    size_t first = command->waits.count;
    uint64_t hz = input->log.header.frequency_hz;
    bool has_memory = true;
    if (command->min_ns && !hz)
        return xray_fail_with(&command->common, STATUS_INPUT,
                              "%s: the length of a tick is unknown: give --min-duration in ticks",
                              input->path);
    if (command->min_ns)
        command->min_ticks = ticks_from_ns(command->min_ns, hz);
    xray_command_watch(&command->common, input, 1, false);
    for (uint32_t i = 0; i < input->log.threads.count && has_memory; i++) {
        struct xray_lane lane;
        has_memory =
            xray_lane_begin(&lane, &input->log, i) && walk_thread(command, input, i, &lane);
        first_time = lane.events ? u64_min(first_time, lane.first_time) : first_time;
        trace_damage_merge(&damage, &lane.damage);
        xray_exits_merge(&exits, &lane.counts.exits);
        xray_lane_free(&lane);
    }
    for (size_t i = first; i < command->waits.count; i++)
        command->waits.items[i].since_begin = command->waits.items[i].longest_at - first_time;
    xray_command_unmatched(&command->common, input, &exits);
    xray_command_damage(&command->common, input, &damage);
    return has_memory || xray_fail_with(&command->common, STATUS_MEMORY, "no memory for the waits");
}

// --- The report ----------------------------------------------------------------------------------

static int compare_waits(const void *a_item, const void *b_item)
{
    const struct wait *a = a_item, *b = b_item;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? 1 : -1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// "main;serve;wait", as flame graphs have them; outside of all calls "[thread]". False: no memory.
static bool put_stack(struct waits_command *command, struct bytes *text, uint32_t at)
{
    const struct context_node *nodes = command->stacks.nodes.items;
    struct xray_names *names = &command->common.input.names;
    VEC(, uint32_t) path = {0};
    bool has_memory = true;
    for (; nodes[at].parent != CONTEXT_NONE && has_memory; at = nodes[at].parent) {
        has_memory = VEC_ROOM(&path, 1);
        if (has_memory)
            path.items[path.count++] = at;
    }
    text->count = 0;
    for (size_t i = path.count; i-- > 0 && has_memory;) {
        const char *name = xray_name(names, function_id(nodes[path.items[i]].pc));
        size_t length = strlen(name);
        has_memory = VEC_ROOM(text, length + 2);
        if (!has_memory)
            break;
        memcpy(text->items + text->count, name, length);
        clean_frame_name((char *)text->items + text->count, length);
        text->count += length;
        text->items[text->count++] = ';';
    }
    has_memory = has_memory && VEC_ROOM(text, sizeof "[thread]");
    if (has_memory && !path.count)
        memcpy(text->items, "[thread]", sizeof "[thread]");
    else if (has_memory)
        text->items[text->count - 1] = 0;
    free(path.items);
    return has_memory && !names->lacks_memory;
}

static bool put_waits(struct waits_command *command)
{
    static const struct table_column columns[] = {
        {"Thread", "lane", COLUMN_TEXT},
        {"Waits", "waits", COLUMN_U64},
        {"Moved", "moved", COLUMN_U64},
        {"Total", "total", COLUMN_TICKS},
        {"Total", "total_seconds", COLUMN_SECONDS},
        {"Longest", "longest", COLUMN_TICKS},
        {"Longest", "longest_seconds", COLUMN_SECONDS},
        {"Longest at", "longest_time", COLUMN_TICKS},
        {"Since begin", "longest_since_seconds", COLUMN_SECONDS},
        {"Function", "function", COLUMN_TEXT},
        {"Stack", "stack", COLUMN_TEXT},
    };
    struct xray_command *common = &command->common;
    struct table table;
    struct error err;
    struct bytes text = {0};
    bool has_memory = true;
    const uint64_t hz = common->input.log.header.frequency_hz;
    if (command->waits.count)
        qsort(command->waits.items, command->waits.count, sizeof *command->waits.items,
              compare_waits);
    enum status status = table_begin_timed(&table, &common->out, command->format, columns,
                                           ARRAY_COUNT(columns), tick_unit(hz), &err);
    if (status != STATUS_OK)
        return xray_fail(common, &err);
    for (size_t i = 0; i < u64_min(command->waits.count, command->top) && has_memory; i++) {
        const struct wait *wait = &command->waits.items[i];
        const struct xray_log *log = &wait->input->log;
        char name[XRAY_THREAD_NAME_BYTES];
        xray_thread_name(log, &log->threads.items[wait->thread], name);
        has_memory = put_stack(command, &text, wait->node);
        if (!has_memory)
            break;
        const char *last = strrchr((const char *)text.items, ';');
        table_text(&table, name);
        table_u64(&table, wait->count);
        table_u64(&table, wait->moved);
        table_u64(&table, wait->ticks);
        table_seconds(&table, wait->ticks, log->header.frequency_hz);
        table_u64(&table, wait->longest);
        table_seconds(&table, wait->longest, log->header.frequency_hz);
        table_u64(&table, wait->longest_at);
        table_seconds(&table, wait->since_begin, log->header.frequency_hz);
        table_text(&table, last ? last + 1 : (const char *)text.items);
        table_text(&table, (const char *)text.items);
    }
    table_end(&table);
    free(text.items);
    return has_memory || xray_fail_with(common, STATUS_MEMORY, "no memory for the report");
}

static bool report(void *self)
{
    struct waits_command *command = self;
    struct xray_command *common = &command->common;
    bool is_done = xray_command_open(common);
    if (is_done && !context_tree_init(&command->stacks))
        is_done = xray_fail_with(common, STATUS_MEMORY, "no memory for the waits");
    is_done = is_done && walk_log(command, &common->input);
    for (size_t i = 0; i < common->others.count && is_done; i++)
        is_done = walk_log(command, &common->others.items[i]);
    is_done = is_done && xray_command_output(common) && put_waits(command);
    context_tree_free(&command->stacks);
    free(command->waits.items);
    return is_done;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct waits_command *command = self;
    switch (option) {
    case OPTION_MIN_DURATION:
        command->min_ns = command->min_ticks = 0;
        if (parse_u64(match->value, &command->min_ticks) ||
            parse_duration(match->value, &command->min_ns))
            return OPTION_END;
        return options_bad_value(parser, match, "ticks, or a number of s, ms, us or ns (1.5ms)");
    case OPTION_TOP:
        return parse_u64(match->value, &command->top)
                   ? OPTION_END
                   : options_bad_value(parser, match, "a number of rows");
    default:
        return table_format_named(match->value, &command->format)
                   ? OPTION_END
                   : options_bad_value(parser, match, "table, csv or json");
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct waits_command command = {.top = UINT64_MAX};
    parse_duration(USUAL_MINIMUM, &command.min_ns);
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_MIN_DURATION, 0, "min-duration", "TIME",
     "only waits that are at least this long (default " USUAL_MINIMUM "): 1.5ms (s, ms, us, ns), "
     "or ticks of the log"},
    {OPTION_TOP, 0, "top", "N", "only the first N rows"},
    {OPTION_FORMAT, 0, "format", "FORMAT", "table (default), csv or json"},
    {0},
};

const struct command_spec xray_waits_command = {
    .name = "xray waits",
    .option_set = OPTIONS_TRAWL,
    .summary = "which threads recorded nothing for long, for how long, and in which calls",
    .description =
        "Lists where threads recorded no entry or exit for long, added up by thread and stack, the "
        "longest time first. There they were blocked (a lock, input, a sleep, another thread on "
        "the processor), or they computed in code that is not instrumented: a log does not tell "
        "which. Moved counts the waits that ended on another processor, so that the thread was "
        "certainly switched away.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the logs", xray_log_options},
                                            {NULL, xray_join_options},
                                            {0}},
    .positionals = xray_logs_positional,
    .examples = "trawl xray waits -m prog xray-log.prog.123\n"
                "trawl xray waits -m prog --min-duration 20ms --top 10 xray-log.prog.123\n",
    .takes_one_dash = true,
    .run = run,
};
