// The match: chunks in order, one worker at a time, one step a transfer. What a chunk's scan found
// goes to the calls and the results of its lanes.
#include "trace/tarmac/match.h"

#include "trace/tarmac/segments.h"

static bool match_transfers(struct pipeline *pipeline, struct lane *lane, struct part_scan *scan,
                            uint64_t nodes_before)
{
    const struct pass_observer *observer = pipeline->observer;
    for (size_t i = 0; i < scan->result.transfers.count; i++) {
        struct transfer *transfer = &scan->result.transfers.items[i];
        struct call_decision decision;
        transfer->node.event += nodes_before;
        transfer->previous.event += nodes_before;
        if (!call_matcher_transfer(lane->matcher, transfer, &decision))
            return false;
        if (UNLIKELY(observer->transfer != NULL))
            observer->transfer(observer->self, transfer, &decision, pipeline->result->header_lines);
    }
    return call_matcher_drop(lane->matcher, scan->result.drop_below_at_end);
}

// Notes when the first and the last event in range happened, if that was in this chunk.
static void find_range_ends(struct lane_result *result, const struct part_scan *scan,
                            const struct marks *marks, const struct chunk_base *base)
{
    struct clip *clip = &result->clip;
    uint64_t first = clip->range.first_event - result->nodes;
    uint64_t last = clip->range.last_event - result->nodes;
    if (first < scan->result.node_count)
        clip->first_event_time = scan_time_of_node(&scan->before, marks, base, first);
    if (last < scan->result.node_count)
        clip->last_event_time = scan_time_of_node(&scan->before, marks, base, last);
}

// The matcher of a lane, made when its first chunk is matched. NULL: no memory.
static struct call_matcher *matcher_of(struct pipeline *pipeline, size_t lane)
{
    struct clip *clip = &pipeline->result->lanes[lane].clip;
    if (!pipeline->lanes[lane].matcher) {
        clip_init(clip, &pipeline->options->range, &pipeline->options->consumer);
        const struct call_consumer consumer = clip_consumer(clip);
        pipeline->lanes[lane].matcher = call_matcher_new(&consumer);
    }
    return pipeline->lanes[lane].matcher;
}

// Where the events of the chunk stand in the whole trace, and where its lanes' last ones.
static void place_events(struct pipeline *pipeline, struct chunk_data *data)
{
    data->first_event = pipeline->events;
    pipeline->events += data->event_count;
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        if (scan->lane == LIMIT_LANES)
            continue;
        struct lane *lane = &pipeline->lanes[scan->lane];
        scan->carried_event = lane->last_event;
        size_t nodes = scan->result.nodes.count;
        if (nodes)
            lane->last_event =
                data->first_event +
                (data->only_part == SIZE_MAX ? scan->ranks.items[nodes - 1] : nodes - 1);
    }
}

static bool match_part(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    struct part_scan *scan = &slot->data->scans.items[part];
    struct lane *lane = &pipeline->lanes[scan->lane];
    struct lane_result *result = &pipeline->result->lanes[scan->lane];
    if (!matcher_of(pipeline, scan->lane))
        return false;
    find_range_ends(result, scan, &slot->data->parsed.parts.items[part].marks, &slot->data->base);
    if (pipeline->options->consumer.fold && !match_transfers(pipeline, lane, scan, result->nodes))
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

void match_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_matching && !pipeline->dealing && pipeline->status == STATUS_OK &&
           pipeline->next_matched < pipeline->next_stitched &&
           slot_at(pipeline, pipeline->next_matched)->state == SLOT_SCANNED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_matched);
        uint64_t start_ns = monotonic_ns();
        bool has_memory = true;
        pipeline->is_matching = true;
        pthread_mutex_unlock(&pipeline->lock);
        for (size_t i = 0; i < slot->data->scan_count && has_memory; i++) {
            if (slot->data->scans.items[i].lane != LIMIT_LANES)
                has_memory = match_part(pipeline, slot, i);
        }
        if (pipeline->segment_slot_count)
            place_events(pipeline, slot->data);
        pass_add_time(pipeline, STAGE_MATCH, start_ns);
        if (!has_memory)
            pass_fail(pipeline, STATUS_MEMORY, "no memory for the calls of the trace");
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_matching = false;
        slot->state = SLOT_FREE;
        pipeline->next_matched++;
        pipeline->dealing = slot->data;
        slot->data = NULL;
        segments_deal(pipeline);
        pthread_cond_broadcast(&pipeline->changed);
    }
}

bool match_finish(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->result->lane_count; i++) {
        struct lane_result *lane = &pipeline->result->lanes[i];
        if (!pipeline->options->consumer.fold || !pipeline->lanes[i].matcher)
            continue;
        if (!call_matcher_finish(pipeline->lanes[i].matcher, &lane->last,
                                 pipeline->options->keep_open_calls, &lane->calls, &lane->counts))
            return false;
    }
    return true;
}
