// The index has calls in preorder, each with its first and last event. A consumer receives the
// events on both sides of two boundaries of a call: site and entry, exit and resume. Walking the
// calls of a lane from boundary to boundary never goes back, so one sweep over the events serves
// all lanes; with a single lane it skips the blocks without a boundary.
#include "flow/replay.h"

#include "flow/messages.h"
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/rows.h"
#include "idx/segment_rows.h"

#include <stdlib.h>

// A call around the current place of the walk.
struct frame {
    struct call call;
    uint64_t exit; // UINT64_MAX: open
    // The number, from 1, of the frame for which events in here count: this one, or, if open calls
    // melt away, the one around it. 0: outside of all calls.
    size_t home;
    bool is_unbegun; // it was closed by an interrupt before its first instruction
    struct call_content content;
};

struct lane_walk {
    struct lane_result *result;
    struct call_consumer consumer;
    VEC(, struct frame) frames;
    uint64_t number, call_count;
    uint64_t switches; // of tasks, up to the entry of the last outermost call
    // If the log parts interrupts: the number, from 1, of the outermost frame of one (0: there is
    // none); what happened in them; and the log with them, up to the switch of that number.
    size_t interrupt;
    struct call_content interrupts;
    struct task_log parted;
    uint64_t parted_switches;
    struct call_rows *rows; // that contain `next`
    uint64_t next;
    uint64_t boundary; // the event after the next one; UINT64_MAX: no more
    bool is_exit;      // the boundary ends a call
    uint64_t needed;   // the next event to read: the one before the boundary, or the one after it
    struct node_ref before;
};

struct replay {
    struct trawl_index *index;
    const struct pass_options *options;
    struct pass_result *result;
    struct event_rows *rows;
    struct lane_walk *walks;
    uint64_t *lane_events; // of each lane, before the current row
    uint64_t events;
    struct error *err;
};

static enum status damaged(const struct replay *replay, const char *what)
{
    return error_set(replay->err, STATUS_DAMAGED, "the index is damaged: %s", what);
}

static enum status no_memory(const struct replay *replay)
{
    return error_set(replay->err, STATUS_MEMORY, "no memory for the calls of the trace");
}

// --- Lanes ---------------------------------------------------------------------------------------

static enum status read_node(const struct replay *replay, uint64_t lane, uint64_t in_lane,
                             struct node_ref *node)
{
    struct trawl_event about;
    struct trawl_error from;
    uint64_t event;
    enum trawl_status status = trawl_event_of_lane(replay->index, lane, in_lane, &event, &from);
    if (status == TRAWL_OK)
        status = trawl_event(replay->index, event, &about, &from);
    if (status == TRAWL_NOT_FOUND)
        return damaged(replay, "lanes");
    if (status == TRAWL_OK)
        *node = (struct node_ref){in_lane, about.time, about.line, about.position, about.pc};
    return index_status(status, &from, replay->err);
}

// Sets the PC of an event without an instruction to that of the instruction that it belongs to: the
// one before it.
static enum status find_origin(const struct replay *replay, uint64_t lane, struct node_ref *node)
{
    struct trawl_event about;
    struct trawl_error from;
    uint64_t event;
    if (node->pc != NODE_WITHOUT_PC || replay->options->how.reading == READING_TTU)
        return STATUS_OK;
    enum trawl_status found =
        trawl_instruction_before(replay->index, lane, node->event, &event, &from);
    if (found == TRAWL_OK)
        found = trawl_event(replay->index, event, &about, &from);
    if (found == TRAWL_OK)
        node->pc = about.pc;
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, replay->err);
}

// The lane's first event not before `time`; the number of events: none.
static enum status find_time(const struct replay *replay, uint64_t lane, uint64_t time,
                             uint64_t events, uint64_t *found)
{
    uint64_t low = 0, high = time ? events : 0;
    enum status status = STATUS_OK;
    while (low < high && status == STATUS_OK) {
        uint64_t middle = low + (high - low) / 2;
        struct node_ref node = {0};
        status = read_node(replay, lane, middle, &node);
        if (node.time < time)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low;
    return status;
}

// Gives an event to the clip, if the lane has it.
static enum status pass_event(const struct replay *replay, uint64_t lane, uint64_t event,
                              struct lane_result *result)
{
    struct node_ref node;
    if (event >= result->nodes)
        return STATUS_OK;
    enum status status = read_node(replay, lane, event, &node);
    if (status == STATUS_OK)
        clip_pass(&result->clip, &node);
    return status;
}

// Gives the events where the range begins and ends to the clip.
static enum status find_range_ends(const struct replay *replay, uint64_t lane,
                                   struct lane_result *result)
{
    const struct call_range *range = &result->clip.range;
    uint64_t first = 0, end = result->nodes;
    if (call_range_is_all(range))
        return STATUS_OK;
    enum status status = find_time(replay, lane, range->first_time, result->nodes, &first);
    if (status == STATUS_OK && range->last_time < UINT64_MAX)
        status = find_time(replay, lane, range->last_time + 1, result->nodes, &end);
    first = u64_max(first, range->first_event);
    uint64_t after = u64_min(end, u64_min(range->last_event, result->nodes) + 1);
    if (status == STATUS_OK && first < after)
        status = pass_event(replay, lane, first, result);
    if (status == STATUS_OK && after)
        status = pass_event(replay, lane, after - 1, result);
    return status;
}

static enum status find_lane(const struct replay *replay, uint64_t lane, struct trawl_lane *about)
{
    struct trawl_error from;
    return index_status(trawl_lane(replay->index, lane, about, &from), &from, replay->err);
}

static enum status read_lane(const struct replay *replay, uint64_t lane, struct lane_result *result)
{
    struct trawl_lane about;
    enum status status = find_lane(replay, lane, &about);
    if (status != STATUS_OK)
        return status;
    // Even if both readings agree, a lane can have a name, which the reference does not know.
    if (replay->options->how.reading == READING_TRUE)
        strncpy(result->name, about.name, sizeof result->name - 1);
    result->events = about.line_events;
    result->nodes = about.events;
    result->instructions = about.instructions;
    result->counts = (struct call_counts){.transfers = about.transfers,
                                          .returned = about.calls_returned,
                                          .dropped = about.calls_dropped,
                                          .unreturned = about.calls_unreturned};
    if (replay->options->consumer.fold)
        result->counts.unmatched = index_unmatched_returns(replay->index, lane);
    clip_init(&result->clip, &replay->options->range, &replay->options->consumer);
    if (about.root != TRAWL_NONE) {
        result->has_root = true;
        status = read_node(replay, lane, about.root, &result->root);
    }
    if (status == STATUS_OK && about.events)
        status = read_node(replay, lane, about.events - 1, &result->last);
    if (status == STATUS_OK && about.events && result->has_root)
        status = find_origin(replay, lane, &result->last);
    return status == STATUS_OK ? find_range_ends(replay, lane, result) : status;
}

// --- Tasks ---------------------------------------------------------------------------------------

static enum status read_task(const struct replay *replay, uint64_t lane, struct task_log *log,
                             bool *is_end)
{
    struct trawl_task about;
    struct trawl_error from;
    enum trawl_status status = trawl_task(replay->index, lane, log->tasks.count, &about, &from);
    *is_end = status == TRAWL_NOT_FOUND;
    if (*is_end)
        return STATUS_OK;
    if (status != TRAWL_OK)
        return index_status(status, &from, replay->err);
    if (!VEC_ROOM(&log->tasks, 1))
        return no_memory(replay);
    log->tasks.items[log->tasks.count++] = task_of_index(&about);
    return STATUS_OK;
}

static enum status read_switch(const struct replay *replay, uint64_t lane, struct task_log *log,
                               bool *is_end)
{
    struct trawl_task_run run;
    struct trawl_error from;
    struct node_ref node;
    enum trawl_status found =
        trawl_task_run(replay->index, lane, log->switch_count + 1, &run, &from);
    *is_end = found == TRAWL_NOT_FOUND;
    if (*is_end)
        return STATUS_OK;
    enum status status = index_status(found, &from, replay->err);
    if (status == STATUS_OK)
        status = read_node(replay, lane, run.first, &node);
    const struct task_switch next = {run.first, node.time, run.task};
    return status == STATUS_OK && !task_log_add(log, &next) ? no_memory(replay) : status;
}

static enum status read_tasks(const struct replay *replay, uint64_t lane, struct task_log *log)
{
    enum status status = STATUS_OK;
    bool is_end = false;
    log->splits_calls = replay->options->splits_by_task;
    log->parts_interrupts = replay->options->parts_interrupts;
    while (status == STATUS_OK && !is_end)
        status = read_task(replay, lane, log, &is_end);
    is_end = false;
    while (status == STATUS_OK && !is_end)
        status = read_switch(replay, lane, log, &is_end);
    return status;
}

// --- The stack pointer ---------------------------------------------------------------------------

static enum status read_lanes(const struct replay *replay, const struct trawl_info *info)
{
    struct pass_result *result = replay->result;
    result->lines = info->lines;
    result->header_lines = info->header_lines;
    result->bytes = info->trace_bytes;
    result->damaged_lines = info->damaged_lines;
    result->damaged_bytes = info->damaged_bytes;
    result->lines_of_refused_lanes = info->refused_lane_lines;
    result->lanes = calloc((size_t)info->lanes + 1, sizeof *result->lanes);
    if (!result->lanes)
        return no_memory(replay);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < info->lanes && status == STATUS_OK; i++) {
        result->lane_count++;
        status = read_lane(replay, i, &result->lanes[i]);
        if (status == STATUS_OK && replay->options->wants_tasks)
            status = read_tasks(replay, i, &result->lanes[i].tasks);
    }
    return status;
}

// --- Calls ---------------------------------------------------------------------------------------

// Outside of all calls there are tasks, if requested.
static struct call_content *content_of(struct lane_walk *walk, size_t home)
{
    struct task_log *log = &walk->result->tasks;
    if (UNLIKELY(home < walk->interrupt))
        return &walk->interrupts;
    if (home)
        return &walk->frames.items[home - 1].content;
    uint64_t task = walk->switches ? task_log_switches(log)[walk->switches - 1].number : 0;
    return log->splits_calls ? &log->tasks.items[task].calls : &walk->result->calls;
}

// --- Interrupts, as in flow/shadow_frames.c ------------------------------------------------------

// Adds the switches of tasks up to an event, and one to or from an interrupt, to the new log.
static bool log_interrupt(struct lane_walk *walk, const struct node_ref *node, bool begins)
{
    const struct task_log *log = &walk->result->tasks;
    while (walk->parted_switches < log->switch_count &&
           task_log_switches(log)[walk->parted_switches].event <= node->event) {
        if (!task_log_add(&walk->parted, &task_log_switches(log)[walk->parted_switches++]))
            return false;
    }
    const uint64_t number = begins ? TASK_INTERRUPTS
                            : walk->parted_switches
                                ? task_log_switches(log)[walk->parted_switches - 1].number
                                : 0;
    return task_log_add(&walk->parted, &(struct task_switch){node->event, node->time, number});
}

// Ends a part of a call, which has its home in its own frame.
static bool fold_frame(const struct replay *replay, struct lane_walk *walk, size_t index,
                       const struct node_ref *exit, const struct node_ref *resume, unsigned how)
{
    const struct frame *frame = &walk->frames.items[index];
    struct call call = frame->call;
    struct call_content *into = content_of(walk, index ? walk->frames.items[index - 1].home : 0);
    call.exit = *exit;
    call.resume = *resume;
    call.how |= how;
    if (replay->options->how.reading == READING_TRUE)
        call.exit_ticks = resume->time - exit->time;
    if (UNLIKELY(call.entry.event == exit->event + 1)) // continued, and left at once
        return walk->consumer.merge(walk->consumer.self, into, &frame->content);
    return walk->consumer.fold(walk->consumer.self, into, &call, &frame->content);
}

// Closes all calls for as long as an interrupt runs, whose handler is the next one.
static bool part_interrupt(const struct replay *replay, struct lane_walk *walk,
                           const struct node_ref *node)
{
    for (size_t i = walk->frames.count; i > 0; i--) {
        struct frame *frame = &walk->frames.items[i - 1];
        frame->is_unbegun =
            frame->call.entry.event == node->event && !(frame->call.how & CALL_RESUMED);
        if (frame->home == i &&
            !fold_frame(replay, walk, i - 1, &walk->before, node, CALL_SUSPENDED))
            return false;
    }
    walk->interrupt = walk->frames.count + 1;
    return log_interrupt(walk, node, true);
}

// Continues them.
static bool continue_calls(struct lane_walk *walk, const struct node_ref *exit,
                           const struct node_ref *resume)
{
    walk->interrupt = 0;
    for (size_t i = 0; i < walk->frames.count; i++) {
        struct frame *frame = &walk->frames.items[i];
        const uint64_t pc = frame->call.entry.pc;
        frame->call.site = *exit;
        frame->call.entry = *resume;
        frame->call.entry.pc = pc;
        frame->call.how |= frame->is_unbegun ? 0 : CALL_RESUMED;
        frame->content = (struct call_content){0};
    }
    return log_interrupt(walk, resume, false);
}

// Ends the log with interrupts, and puts it in the place of that without.
static bool end_interrupts(struct lane_walk *walk)
{
    struct task_log *log = &walk->result->tasks;
    if (!walk->parted.switch_count)
        return true;
    while (walk->parted_switches < log->switch_count) {
        if (!task_log_add(&walk->parted, &task_log_switches(log)[walk->parted_switches++]))
            return false;
    }
    spool_free(&log->switches);
    log->switches = walk->parted.switches;
    log->switch_count = walk->parted.switch_count;
    walk->parted = (struct task_log){0};
    return task_log_add_interrupts(log, &walk->interrupts);
}

// --- Walking a lane ------------------------------------------------------------------------------

// Sets the next boundary.
static enum status find_boundary(const struct replay *replay, struct lane_walk *walk)
{
    const struct frame *inner =
        walk->frames.count ? &walk->frames.items[walk->frames.count - 1] : NULL;
    walk->is_exit = inner != NULL;
    walk->boundary = inner && inner->exit != UINT64_MAX ? inner->exit + 1 : UINT64_MAX;
    if (walk->next == walk->call_count)
        return STATUS_OK;
    if (walk->next - walk->rows->first >= walk->rows->count) {
        enum status status =
            index_call_rows(replay->index, walk->number, walk->next, walk->rows, replay->err);
        if (status != STATUS_OK)
            return status;
    }
    uint64_t depth = walk->rows->depths[walk->next - walk->rows->first];
    if (depth > walk->frames.count + 1 || !depth)
        return damaged(replay, "calls");
    if (depth == walk->frames.count + 1) {
        walk->boundary = walk->rows->entries[walk->next - walk->rows->first];
        walk->is_exit = false;
    }
    return STATUS_OK;
}

static enum status enter(const struct replay *replay, struct lane_walk *walk,
                         const struct node_ref *node)
{
    size_t row = (size_t)(walk->next++ - walk->rows->first);
    if (!VEC_ROOM(&walk->frames, 1))
        return no_memory(replay);
    // Each call is within one run of a task: only outermost calls can change the task.
    const struct task_log *log = &walk->result->tasks;
    while (!walk->frames.count && walk->switches < log->switch_count &&
           task_log_switches(log)[walk->switches].event <= node->event)
        walk->switches++;
    const bool is_interrupt = walk->rows->how[row] & CALL_INTERRUPT;
    if (UNLIKELY(is_interrupt) && log->parts_interrupts && !walk->interrupt &&
        !part_interrupt(replay, walk, node))
        return no_memory(replay);
    struct frame *frame = &walk->frames.items[walk->frames.count];
    *frame = (struct frame){.call = {.site = walk->before, .entry = *node}};
    frame->call.is_open = walk->rows->open[row] != 0;
    frame->call.how = (uint16_t)walk->rows->how[row];
    frame->call.entry.pc = walk->rows->pcs[row];
    frame->call.began = node->event - u64_min(node->event, walk->rows->before[row]);
    bool melts =
        (frame->call.is_open || frame->call.how & CALL_LEFT) && !replay->options->keep_open_calls;
    melts &= walk->frames.count + 1 != walk->interrupt;
    if (melts) // events count for the frame around it
        frame->home = walk->frames.count ? frame[-1].home : 0;
    else
        frame->home = walk->frames.count + 1;
    frame->exit = frame->call.is_open ? UINT64_MAX : node->event + walk->rows->lengths[row];
    if (frame->exit < node->event)
        return damaged(replay, "calls");
    walk->frames.count++;
    return STATUS_OK;
}

// Ends the innermost call.
static enum status leave(const struct replay *replay, struct lane_walk *walk,
                         const struct node_ref *exit, const struct node_ref *resume)
{
    const size_t index = walk->frames.count - 1;
    const bool is_interrupt = UNLIKELY(walk->frames.count == walk->interrupt);
    const bool is_part = walk->frames.items[index].home == walk->frames.count;
    const bool is_done =
        !is_part || fold_frame(replay, walk, index, exit, resume, is_interrupt ? CALL_TASK : 0);
    walk->frames.count--;
    return is_done && (!is_interrupt || continue_calls(walk, exit, resume)) ? STATUS_OK
                                                                            : no_memory(replay);
}

// Processes the event that the walk needed.
static enum status walk_on(const struct replay *replay, struct lane_walk *walk,
                           const struct node_ref *node)
{
    enum status status = STATUS_OK;
    while (walk->boundary == node->event && status == STATUS_OK) {
        status =
            walk->is_exit ? leave(replay, walk, &walk->before, node) : enter(replay, walk, node);
        if (status == STATUS_OK)
            status = find_boundary(replay, walk);
    }
    if (status != STATUS_OK)
        return status;
    if (walk->boundary < node->event)
        return damaged(replay, "calls");
    bool is_before = walk->boundary == node->event + 1;
    if (is_before) {
        walk->before = *node;
        status = find_origin(replay, walk->number, &walk->before);
    }
    walk->needed = is_before || walk->boundary == UINT64_MAX ? walk->boundary : walk->boundary - 1;
    return status;
}

static enum status begin_walk(const struct replay *replay, struct lane_walk *walk, uint64_t lane)
{
    struct trawl_lane about;
    enum status status = find_lane(replay, lane, &about);
    if (status != STATUS_OK)
        return status;
    *walk = (struct lane_walk){
        .result = &replay->result->lanes[lane],
        .number = lane,
        .call_count = about.calls,
        .rows = call_rows_make(about.calls),
        .needed = UINT64_MAX,
    };
    walk->consumer = clip_consumer(&walk->result->clip);
    if (!walk->rows)
        return no_memory(replay);
    status = find_boundary(replay, walk);
    if (status == STATUS_OK && walk->boundary == 0) // nothing comes before event 0
        return damaged(replay, "calls");
    walk->needed = walk->boundary == UINT64_MAX ? UINT64_MAX : walk->boundary - 1;
    return status;
}

// Ends the calls that are still open, at the lane's last event.
static enum status end_walk(const struct replay *replay, struct lane_walk *walk)
{
    const struct node_ref *last = &walk->result->last;
    enum status status = STATUS_OK;
    if (walk->boundary != UINT64_MAX || walk->next != walk->call_count)
        return damaged(replay, "calls");
    while (walk->frames.count && status == STATUS_OK) {
        const bool is_interrupt = walk->frames.count == walk->interrupt;
        if (is_interrupt) // what it interrupted was closed then
            return fold_frame(replay, walk, walk->frames.count - 1, last, last, CALL_TASK) &&
                           end_interrupts(walk)
                       ? STATUS_OK
                       : no_memory(replay);
        status = leave(replay, walk, last, last);
    }
    return status == STATUS_OK && !end_interrupts(walk) ? no_memory(replay) : status;
}

// --- The sweep -----------------------------------------------------------------------------------

static struct node_ref node_at(const struct event_rows *rows, size_t row, uint64_t in_lane)
{
    return (struct node_ref){
        .event = in_lane, .time = rows->times[row], .line = rows->lines[row], .pc = rows->pcs[row]};
}

#define CALL_COLUMNS (ROWS_TIMES | ROWS_LINES | ROWS_PCS)

// Sweeps a single lane, from one needed event to the next.
static enum status sweep_lane(const struct replay *replay, struct lane_walk *walk)
{
    struct event_rows *rows = replay->rows;
    enum status status = STATUS_OK;
    rows->first = rows->count = 0;
    while (walk->needed < replay->events && status == STATUS_OK) {
        if (walk->needed - rows->first >= rows->count)
            status = index_event_rows(replay->index, walk->needed, CALL_COLUMNS, rows, replay->err);
        if (status == STATUS_OK) {
            struct node_ref node =
                node_at(rows, (size_t)(walk->needed - rows->first), walk->needed);
            status = walk_on(replay, walk, &node);
        }
    }
    return status;
}

static enum status sweep_block(const struct replay *replay)
{
    const struct event_rows *rows = replay->rows;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rows->count && status == STATUS_OK; i++) {
        uint64_t lane = rows->lanes[i];
        if (lane >= replay->result->lane_count)
            return damaged(replay, "lanes of a segment");
        uint64_t in_lane = replay->lane_events[lane]++;
        if (in_lane != replay->walks[lane].needed)
            continue;
        struct node_ref node = node_at(rows, i, in_lane);
        status = walk_on(replay, &replay->walks[lane], &node);
    }
    return status;
}

static enum status sweep(const struct replay *replay)
{
    uint64_t next = 0;
    enum status status = STATUS_OK;
    if (replay->result->lane_count == 1)
        return sweep_lane(replay, &replay->walks[0]);
    while (next < replay->events && status == STATUS_OK) {
        status = index_event_rows(replay->index, next, CALL_COLUMNS | ROWS_LANES, replay->rows,
                                  replay->err);
        next = replay->rows->first + replay->rows->count;
        if (status == STATUS_OK)
            status = sweep_block(replay);
    }
    return status;
}

static enum status replay_calls(const struct replay *replay)
{
    enum status status = STATUS_OK;
    size_t count = replay->result->lane_count;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = begin_walk(replay, &replay->walks[i], i);
    if (status == STATUS_OK)
        status = sweep(replay);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = end_walk(replay, &replay->walks[i]);
    return status;
}

// --- Visits --------------------------------------------------------------------------------------

static enum status add_visit(const struct replay *replay, size_t row, uint64_t in_lane,
                             uint64_t address)
{
    const struct watch_list *watch = &replay->options->watch;
    const struct event_rows *rows = replay->rows;
    const uint64_t *found =
        bsearch(&address, watch->addresses, watch->count, sizeof address, u64_compare);
    if (!found && index_has_programs(replay->index) && pc_has_program(address)) {
        address = pc_address(address); // of any program
        found = bsearch(&address, watch->addresses, watch->count, sizeof address, u64_compare);
    }
    if (!found)
        return STATUS_OK;
    const struct visit visit = {(uint32_t)(found - watch->addresses), in_lane, rows->times[row],
                                rows->lines[row], rows->positions[row]};
    return visit_log_add(&replay->result->lanes[rows->lanes[row]].visits, &visit, 1, watch->count,
                         0)
               ? STATUS_OK
               : no_memory(replay);
}

static enum status visits_of_block(const struct replay *replay)
{
    const struct event_rows *rows = replay->rows;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rows->count && status == STATUS_OK; i++) {
        if (rows->lanes[i] >= replay->result->lane_count)
            return damaged(replay, "lanes of a segment");
        uint64_t in_lane = replay->lane_events[rows->lanes[i]]++;
        if (rows->flags[i] & TRAWL_HAS_INSTRUCTION)
            status = add_visit(replay, i, in_lane, rows->pcs[i] & ~UINT64_C(1));
        if (status == STATUS_OK && (rows->flags[i] & TRAWL_EXCEPTION))
            status = add_visit(replay, i, in_lane, TRAWL_EXCEPTIONS);
    }
    return status;
}

#define VISIT_COLUMNS                                                                              \
    (ROWS_TIMES | ROWS_LINES | ROWS_POSITIONS | ROWS_PCS | ROWS_FLAGS | ROWS_LANES)

static enum status replay_visits(const struct replay *replay)
{
    const struct watch_list *watch = &replay->options->watch;
    uint64_t next, end;
    bool is_single = replay->result->lane_count == 1;
    for (next = 0; next < replay->events; next = end) {
        bool may;
        enum status status = index_block_may_visit(replay->index, next, watch->addresses,
                                                   watch->count, &may, &end, replay->err);
        if (is_single)
            replay->lane_events[0] = next;
        // With several lanes, each event must be counted for its lane.
        if (status == STATUS_OK && (may || !is_single))
            status = index_event_rows(replay->index, next, may ? VISIT_COLUMNS : ROWS_LANES,
                                      replay->rows, replay->err);
        if (status != STATUS_OK)
            return status;
        if (!may && is_single)
            continue;
        if (!may)
            memset(replay->rows->flags, 0, sizeof replay->rows->flags);
        if ((status = visits_of_block(replay)) != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// --- All of it -----------------------------------------------------------------------------------

static enum status replay_rows(struct replay *replay)
{
    size_t lanes = replay->result->lane_count;
    enum status status = STATUS_OK;
    replay->rows = malloc(sizeof *replay->rows);
    replay->walks = calloc(lanes + 1, sizeof *replay->walks);
    replay->lane_events = calloc(lanes + 1, sizeof *replay->lane_events);
    if (!replay->rows || !replay->walks || !replay->lane_events)
        status = no_memory(replay);
    if (status == STATUS_OK && replay->options->consumer.fold)
        status = replay_calls(replay);
    if (status == STATUS_OK && replay->options->watch.count) {
        memset(replay->lane_events, 0, lanes * sizeof *replay->lane_events);
        status = replay_visits(replay);
    }
    for (size_t i = 0; replay->walks && i < lanes; i++) {
        free(replay->walks[i].frames.items);
        task_log_free(&replay->walks[i].parted);
        free(replay->walks[i].rows);
    }
    free(replay->walks);
    free(replay->lane_events);
    free(replay->rows);
    return status;
}

static enum status open_messages(const struct replay *replay, const struct pass_observer *observer,
                                 struct messages *messages)
{
    struct parts parts;
    bool has_messages;
    *messages = (struct messages){0};
    enum status status =
        index_find_section(replay->index, SECTION_MESSAGES, &parts, &has_messages, replay->err);
    if (status == STATUS_OK && has_messages)
        status = messages_open(messages, &parts, replay->err);
    if (status == STATUS_OK && messages->is_cut && observer->note)
        return error_set(replay->err, STATUS_LIMIT, "not all messages are in the index");
    return status;
}

enum status replay_doubts(struct trawl_index *index, struct doubts *doubts, struct error *err)
{
    struct parts parts;
    bool is_there;
    *doubts = (struct doubts){0};
    enum status status = index_find_section(index, SECTION_DOUBTS, &parts, &is_there, err);
    return status == STATUS_OK && is_there ? doubts_read(doubts, &parts, err) : status;
}

enum status replay_unknown(struct trawl_index *index, struct unknown_summary *unknown,
                           struct error *err)
{
    const struct replay replay = {.index = index, .err = err};
    const struct pass_observer silent = {0};
    struct messages messages;
    *unknown = (struct unknown_summary){0};
    enum status status = open_messages(&replay, &silent, &messages);
    if (status == STATUS_OK)
        messages_unknown(&messages, unknown);
    return status;
}

struct losses {
    void *self;
    void (*note)(void *self, const struct line_note_report *note);
};

static void pass_loss_on(void *self, const struct line_note_report *note)
{
    const struct losses *losses = self;
    if (note->note == NOTE_TOO_MANY_REGISTERS)
        losses->note(losses->self, note);
}

void replay_losses(struct trawl_index *index, void *self,
                   void (*note)(void *self, const struct line_note_report *note))
{
    struct error err;
    struct losses losses = {self, note};
    const struct replay replay = {.index = index, .err = &err};
    const struct pass_observer silent = {0}, observer = {.self = &losses, .note = pass_loss_on};
    struct messages messages;
    if (open_messages(&replay, &silent, &messages) == STATUS_OK)
        messages_replay(&messages, &observer);
}

enum status replay_run(struct trawl_index *index, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err)
{
    uint64_t start_ns = monotonic_ns();
    struct replay replay = {.index = index, .options = options, .result = result, .err = err};
    struct messages messages;
    struct trawl_info info;
    *result = (struct pass_result){0};
    trawl_info(index, &info);
    replay.events = info.events;
    index_choose_calls(index, options->how.reading == READING_TTU);
    enum status status = open_messages(&replay, observer, &messages);
    if (status == STATUS_OK)
        status = read_lanes(&replay, &info);
    if (status == STATUS_OK)
        status = replay_doubts(index, &result->doubts, err);
    if (!options->consumer.fold) // a pass over the trace then finds none
        result->doubts.of[DOUBT_GAPS] = result->doubts.of[DOUBT_GUESSES] =
            result->doubts.of[DOUBT_MISPLACED] = (struct doubt){0};
    // As in a pass over the trace.
    if (status == STATUS_OK && options->how.reading != READING_TTU && options->consumer.fold)
        status = stack_pointer_lacks(index, &result->lacks_stack_pointer, err);
    if (status == STATUS_OK)
        status = replay_rows(&replay);
    if (status != STATUS_OK) {
        pass_result_free(result);
        return status;
    }
    messages_unknown(&messages, &result->unknown);
    result->stopped_at_fault = !messages_replay(&messages, observer);
    result->wall_ns = monotonic_ns() - start_ns;
    return STATUS_OK;
}

// --- Whether stack pointers are shown ------------------------------------------------------------

// Whether SP is known at an event, as a register of one instruction set: from its first write on.
static enum trawl_status find_in_set(struct trawl_index *index, uint64_t lane, uint64_t event,
                                     uint32_t isa, bool *shows, struct trawl_error *from)
{
    struct trawl_register sp;
    uint8_t values[8], known[8] = {0};
    enum trawl_status status = trawl_register_with(index, isa, TRAWL_REGISTER_SP, &sp, from);
    if (status == TRAWL_OK && sp.size_bytes <= sizeof values)
        status = trawl_registers(index, lane, event, sp.offset, (size_t)sp.size_bytes, values,
                                 known, from);
    *shows |= known[0];
    return status == TRAWL_NOT_FOUND ? TRAWL_OK : status;
}

// AArch64 has a separate register for SP. The SP of AArch32 is stored in place of x13, so it is
// checked only if the lane ended in AArch32.
static enum trawl_status find_in_lane(struct trawl_index *index, uint64_t lane, uint64_t events,
                                      bool *shows, struct trawl_error *from)
{
    uint64_t last;
    struct trawl_event about;
    enum trawl_status status = trawl_event_of_lane(index, lane, events - 1, &last, from);
    if (status == TRAWL_OK)
        status = trawl_event(index, last, &about, from);
    if (status == TRAWL_OK)
        status = find_in_set(index, lane, last, EVENT_ISA_A64, shows, from);
    if (status == TRAWL_OK && (about.flags & TRAWL_ISA) != EVENT_ISA_A64)
        status = find_in_set(index, lane, last, about.flags & TRAWL_ISA, shows, from);
    return status;
}

enum status stack_pointer_lacks(struct trawl_index *index, bool *lacks, struct error *err)
{
    uint64_t transfers = 0;
    bool shows = false;
    struct trawl_info info;
    struct trawl_lane about;
    struct trawl_error from;
    enum trawl_status status = TRAWL_OK;
    trawl_info(index, &info);
    for (uint64_t i = 0; i < info.lanes && status == TRAWL_OK && !shows; i++) {
        status = trawl_lane(index, i, &about, &from);
        if (status != TRAWL_OK)
            break;
        transfers += about.transfers;
        if (about.events)
            status = find_in_lane(index, i, about.events, &shows, &from);
    }
    *lacks = status == TRAWL_OK && !shows && transfers;
    return status == TRAWL_MEMORY ? index_status(status, &from, err) : STATUS_OK;
}
