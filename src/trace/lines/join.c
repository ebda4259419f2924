// The join: chunks in order, one worker at a time. Adds what a chunk's scan found, and the calls
// from its match (match.c), to the calls and the results of its lanes: one step a run of transfers,
// or one step a transfer where calls were not matched separately.
#include "trace/lines/running_pass.h"

#include "trace/lines/match.h"
#include "trace/lines/segments.h"

static bool join_by_reference(struct pipeline *pipeline, struct lane *lane,
                              const struct part_scan *scan)
{
    const struct pass_observer *observer = pipeline->observer;
    if (scan->is_chunk[CALLS_BY_REFERENCE])
        return call_matcher_join(lane->matcher, scan->reference) &&
               call_matcher_drop(lane->matcher, scan->result.drop_below_at_end);
    for (size_t i = 0; i < scan->result.transfers.count; i++) {
        const struct transfer *transfer = &scan->result.transfers.items[i];
        struct call_decision decision;
        if (UNLIKELY(transfer->is_gap))
            continue;
        if (!call_matcher_transfer(lane->matcher, transfer, &decision))
            return false;
        if (UNLIKELY(observer->transfer != NULL))
            observer->transfer(observer->self, transfer, &decision, pipeline->result->header_lines);
    }
    return call_matcher_drop(lane->matcher, scan->result.drop_below_at_end);
}

// Passes the last instruction to the consumer of calls, with its content: everything before the
// next transfer belongs to the innermost frame.
static ALWAYS_INLINE bool give_instruction(const struct call_consumer *consumer,
                                           const struct last_instruction *last,
                                           const struct node_ref *node, struct call_content *into,
                                           uint64_t end_time)
{
    return !last->is_there || !last->is_counted ||
           consumer->instruction(consumer->self, into, node, last->is_executed,
                                 end_time > last->time ? end_time - last->time : 0);
}

// Processes the transfers up to the lane's node `count`. False: no memory.
static bool take_transfers(struct lane *lane, const struct transfer **next,
                           const struct transfer *end, uint64_t count)
{
    for (; *next < end && (*next)->node.event < count; ++*next) {
        if (!shadow_stack_transfer(lane->shadow, *next))
            return false;
    }
    return true;
}

// Processes instructions and transfers in order: the instruction before a transfer belongs to the
// frame that it leaves.
static ALWAYS_INLINE bool walk_instructions(const struct pipeline *pipeline, struct lane *lane,
                                            const struct part_scan *scan, const struct marks *marks,
                                            const struct chunk_base *base, bool is_all)
{
    const struct call_consumer consumer = pipeline->options->consumer;
    const struct transfer *next = scan->result.transfers.items,
                          *end = VEC_FROM(&scan->result.transfers, scan->result.transfers.count);
    struct node_walk walk = node_walk_from(&scan->before, scan->nodes_before);
    struct node_ref node = scan->before.node, last_node = lane->last_node;
    struct last_instruction last = lane->last;
    struct call_content *into = shadow_stack_inside(lane->shadow);
    for (size_t at = 0; at < marks->count; at++) {
        const struct mark *mark = &marks->items[at];
        bool is_instruction = mark->summary.kind == MARK_INSTRUCTION;
        uint64_t count = walk.count;
        if (UNLIKELY(mark->summary.kind >= MARK_GAP))
            continue;
        node_walk_cut(&walk, mark, is_instruction);
        if (walk.count != count) {
            node.line = base->line + mark->line + 1;
            node.position = base->position + mark->position;
        }
        if (!is_instruction || UNLIKELY(!walk.has_node))
            continue;
        bool is_counted =
            is_all || call_range_has(&pipeline->options->range, walk.time, walk.count - 1);
        if (UNLIKELY(
                !give_instruction(&consumer, &last, &last_node, into, is_counted ? walk.time : 0)))
            return false;
        last.pc = mark->value;
        last.time = walk.time;
        last.is_there = true;
        last.is_executed = mark->summary.flags & MARK_EXECUTED;
        last.is_counted = is_counted;
        last_node =
            (struct node_ref){walk.count - 1, walk.time, node.line, node.position, mark->value};
        if (next < end && next->node.event < walk.count) {
            if (!take_transfers(lane, &next, end, walk.count))
                return false;
            into = shadow_stack_inside(lane->shadow);
        }
    }
    lane->last = last;
    lane->last_node = last_node;
    return true;
}

static bool join_by_shadow(struct lane *lane, struct part_scan *scan)
{
    if (scan->is_chunk[CALLS_BY_SHADOW])
        return shadow_stack_join(lane->shadow, scan->shadow);
    for (size_t i = 0; i < scan->result.transfers.count; i++) {
        if (!shadow_stack_transfer(lane->shadow, &scan->result.transfers.items[i]))
            return false;
    }
    return true;
}

// Passes the transfers of a part on, if their calls are matched elsewhere.
static bool give_transfers(const struct pipeline *pipeline, const struct chunk_data *data,
                           const struct part_scan *scan)
{
    const struct transfer_consumer *consumer = &pipeline->options->transfers;
    const struct scan_result *result = &scan->result;
    return !consumer->take || !match_takes_transfers(pipeline, data) ||
           consumer->take(consumer->self, scan->lane, result->transfers.items,
                          result->transfers.count, result->drop_below_at_end);
}

static bool join_calls(struct pipeline *pipeline, struct lane *lane, struct part_scan *scan,
                       const struct marks *marks, const struct chunk_base *base)
{
    const struct lane_calls wanted = match_wanted(pipeline->options);
    bool is_done = true;
    if (wanted.ways[CALLS_BY_SHADOW] && !pipeline->options->consumer.instruction)
        is_done = join_by_shadow(lane, scan);
    else if (wanted.ways[CALLS_BY_SHADOW]) // compiled twice
        is_done = call_range_is_all(&pipeline->options->range)
                      ? walk_instructions(pipeline, lane, scan, marks, base, true)
                      : walk_instructions(pipeline, lane, scan, marks, base, false);
    return is_done && (!wanted.ways[CALLS_BY_REFERENCE] || join_by_reference(pipeline, lane, scan));
}

// Records where the range begins and ends, if that is in this chunk.
static void find_range_ends(struct lane_result *result, const struct part_scan *scan,
                            const struct marks *marks, const struct chunk_base *base)
{
    struct clip *clip = &result->clip;
    const struct call_range *range = &clip->range;
    struct node_ref last = scan->state.node;
    last.event += result->nodes;
    if (call_range_is_all(range) || !scan->result.node_count)
        return;
    bool is_after = result->nodes &&
                    (result->nodes > range->last_event || scan->before.time > range->last_time);
    bool ends_after = last.event > range->last_event || last.time > range->last_time;
    bool has_begun = last.event >= range->first_event && last.time >= range->first_time;
    if (is_after)
        return;
    if (ends_after || (has_begun && !clip->has_first))
        scan_pass_clip(&scan->before, marks, base, result->nodes, clip);
    else
        clip_pass(clip, &last);
}

// Creates what matches the calls of a lane, when its first chunk is joined. False: no memory.
static bool begin_lane(struct pipeline *pipeline, size_t at)
{
    const struct pass_options *options = pipeline->options;
    struct clip *clip = &pipeline->result->lanes[at].clip;
    struct lane *lane = &pipeline->lanes[at];
    if (lane->matcher)
        return true;
    clip_init(clip, &options->range, &options->consumer);
    const struct call_consumer clipped = clip_consumer(clip);
    bool is_ttu = options->how.reading == READING_TTU;
    struct task_log *tasks = &pipeline->result->lanes[at].tasks;
    tasks->splits_calls = options->splits_by_task;
    tasks->parts_interrupts = options->parts_interrupts;
    lane->matcher = call_matcher_new(is_ttu ? &clipped : &options->other_consumer);
    lane->shadow =
        shadow_stack_new(is_ttu ? &options->other_consumer : &clipped, options->functions,
                         pipeline->language->exceptions, !is_ttu && !options->keep_open_calls,
                         options->wants_tasks ? tasks : NULL);
    return lane->matcher && lane->shadow;
}

// Counts instructions that could not be counted before, because the events of the range have no
// numbers until now.
static bool count_part(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    struct part_scan *scan = &slot->data->scans.items[part];
    const struct tally_part counted = {
        .lane = scan->lane,
        .nodes_before = pipeline->result->lanes[scan->lane].nodes,
        .before = &scan->before,
        .base = &slot->data->base,
        .range = pipeline->options->counted,
    };
    struct tally_end end;
    struct tally *tally = pass_tally(pipeline);
    bool has_memory =
        tally && tally_marks(tally, &counted, &slot->data->parsed.parts.items[part].marks,
                             &scan->ends, &end);
    pass_release_tally(pipeline, tally);
    return has_memory;
}

// Adds the chunk's counts to those of the lane.
static bool join_counts(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    const struct call_range *counted = pipeline->options->counted;
    struct part_scan *scan = &slot->data->scans.items[part];
    if (!counted)
        return true;
    if (!call_range_is_all(counted) && !count_part(pipeline, slot, part))
        return false;
    return instruction_ends_join(&pipeline->lanes[scan->lane].last, &scan->ends,
                                 &pipeline->result->lanes[scan->lane].pcs);
}

static bool join_part(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    struct part_scan *scan = &slot->data->scans.items[part];
    struct lane *lane = &pipeline->lanes[scan->lane];
    struct lane_result *result = &pipeline->result->lanes[scan->lane];
    if (!begin_lane(pipeline, scan->lane))
        return false;
    const struct marks *marks = &slot->data->parsed.parts.items[part].marks;
    find_range_ends(result, scan, marks, &slot->data->base);
    if (!join_calls(pipeline, lane, scan, marks, &slot->data->base) ||
        !give_transfers(pipeline, slot->data, scan) || !join_counts(pipeline, slot, part))
        return false;
    if (scan->result.has_root) {
        result->has_root = true;
        result->root = scan->result.root;
        result->root.event += result->nodes;
    }
    result->last = scan->state.node;
    result->last.event += result->nodes;
    if (!visit_log_add(&result->visits, scan->result.visits.items, scan->result.visits.count,
                       pipeline->options->watch.count, result->nodes))
        return false;
    result->nodes += scan->result.node_count;
    return true;
}

void join_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_joining && !pipeline->dealing && pipeline->status == STATUS_OK &&
           pipeline->next_joined < pipeline->next_numbered &&
           slot_at(pipeline, pipeline->next_joined)->state == SLOT_MATCHED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_joined);
        uint64_t start_ns = monotonic_ns();
        bool has_memory = true;
        pipeline->is_joining = true;
        pthread_mutex_unlock(&pipeline->lock);
        for (size_t i = 0; i < slot->data->scan_count && has_memory; i++) {
            if (slot->data->scans.items[i].lane != LIMIT_LANES)
                has_memory = join_part(pipeline, slot, i);
        }
        if (pipeline->segment_slot_count) {
            // Sets the numbers in the trace of the chunk's events, and of its lanes' last events.
            slot->data->first_event = pipeline->events;
            pipeline->events += slot->data->event_count;
            for (size_t i = 0; i < slot->data->scan_count; i++) {
                struct part_scan *scan = &slot->data->scans.items[i];
                if (scan->lane == LIMIT_LANES)
                    continue;
                struct lane *lane = &pipeline->lanes[scan->lane];
                scan->carried_event = lane->last_event;
                size_t nodes = scan->result.nodes.count;
                if (nodes)
                    lane->last_event = slot->data->first_event + (slot->data->only_part == SIZE_MAX
                                                                      ? scan->ranks.items[nodes - 1]
                                                                      : nodes - 1);
            }
        }
        pass_add_time(pipeline, STAGE_JOIN, start_ns);
        if (!has_memory)
            pass_fail(pipeline, STATUS_MEMORY, "no memory for the calls of the trace");
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_joining = false;
        slot->state = SLOT_FREE;
        pipeline->next_joined++;
        pipeline->dealing = slot->data;
        slot->data = NULL;
        segments_deal(pipeline);
        pthread_cond_broadcast(&pipeline->changed);
    }
}

static bool finish_lane(struct pipeline *pipeline, struct lane *lane, struct lane_result *result)
{
    const struct pass_options *options = pipeline->options;
    const struct lane_calls wanted = match_wanted(options);
    bool is_ttu = options->how.reading == READING_TTU;
    bool keeps_open = !is_ttu || options->keep_open_calls;
    if (!is_ttu && result->last.pc == NODE_WITHOUT_PC && result->has_root)
        result->last.pc = lane->carry.branch.pc; // to which it belongs
    if (wanted.ways[CALLS_BY_SHADOW] && options->consumer.instruction &&
        !give_instruction(&options->consumer, &lane->last, &lane->last_node,
                          shadow_stack_inside(lane->shadow), result->last.time))
        return false;
    return (!wanted.ways[CALLS_BY_SHADOW] ||
            shadow_stack_finish(lane->shadow, &result->last,
                                is_ttu ? &result->other_calls : &result->calls,
                                is_ttu ? &result->other_counts : &result->counts)) &&
           (!wanted.ways[CALLS_BY_REFERENCE] ||
            call_matcher_finish(lane->matcher, &result->last, keeps_open,
                                is_ttu ? &result->calls : &result->other_calls,
                                is_ttu ? &result->counts : &result->other_counts));
}

// Whether calls had to be found without the stack pointer.
static bool lacks_stack_pointer(const struct pipeline *pipeline)
{
    const struct pass_options *options = pipeline->options;
    uint64_t transfers = 0;
    if (options->how.reading == READING_TTU || !options->consumer.fold)
        return false;
    for (size_t i = 0; i < pipeline->result->lane_count; i++) {
        transfers += pipeline->result->lanes[i].counts.transfers;
        if (pipeline->lanes[i].carry.pointers.written & SP_WRITTEN)
            return false;
    }
    return transfers > 0;
}

// Adds up what each worker counted for the lanes, and the last instructions of the lanes.
static bool finish_counts(struct pipeline *pipeline)
{
    struct pass_result *result = pipeline->result;
    for (const struct tally *tally = pipeline->tallies; tally; tally = tally->next) {
        for (size_t i = 0; i < tally->lanes.count; i++) {
            if (!pc_counts_add_all(&result->lanes[i].pcs, &tally->lanes.items[i]))
                return false;
        }
    }
    for (size_t i = 0; i < result->lane_count; i++) {
        struct lane_result *lane = &result->lanes[i];
        if (!instruction_end(&pipeline->lanes[i].last, lane->last.time, &lane->pcs))
            return false;
    }
    return true;
}

bool join_finish(struct pipeline *pipeline)
{
    if (!finish_counts(pipeline))
        return false;
    for (size_t i = 0; i < pipeline->result->lane_count; i++) {
        struct lane *lane = &pipeline->lanes[i];
        if (lane->matcher && !finish_lane(pipeline, lane, &pipeline->result->lanes[i]))
            return false;
    }
    pass_result_add_gaps(pipeline->result, pipeline->options->how.reading == READING_TTU);
    pipeline->result->lacks_stack_pointer = lacks_stack_pointer(pipeline);
    return true;
}
