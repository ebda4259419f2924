#include "trace/lines/match.h"

#include "trace/lines/shard.h"

// Each part of a chunk that is matched separately takes some memory. If there are more parts than
// this, each has few transfers, and they are joined one by one.
#define CHUNKS_MAX 64

// The consumer of the calls that are matched this way.
static const struct call_consumer *consumer_of(const struct pass_options *options,
                                               enum calls_way way)
{
    bool is_reference = way == CALLS_BY_REFERENCE;
    return is_reference == (options->how.reading == READING_TTU) ? &options->consumer
                                                                 : &options->other_consumer;
}

struct lane_calls match_wanted(const struct pass_options *options)
{
    struct lane_calls wanted;
    for (enum calls_way way = 0; way < CALLS_WAYS; way++)
        wanted.ways[way] = consumer_of(options, way)->fold != NULL;
    return wanted;
}

bool match_takes_transfers(const struct pipeline *pipeline, const struct chunk_data *data)
{
    const struct pass_shard *shard = &pipeline->options->shard;
    uint64_t position = data->base.position;
    return !shard->end || (position >= shard->from && position < shard->end);
}

// --- Numbers -------------------------------------------------------------------------------------

void match_number_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_numbering && pipeline->status == STATUS_OK &&
           pipeline->next_numbered < pipeline->next_stitched &&
           slot_at(pipeline, pipeline->next_numbered)->state == SLOT_SCANNED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_numbered);
        uint64_t start_ns = monotonic_ns();
        pipeline->is_numbering = true;
        pthread_mutex_unlock(&pipeline->lock);
        struct chunk_data *data = slot->data;
        for (size_t i = 0; i < data->scan_count; i++) {
            struct part_scan *scan = &data->scans.items[i];
            if (scan->lane == LIMIT_LANES)
                continue;
            struct lane *lane = &pipeline->lanes[scan->lane];
            scan->nodes_before = lane->node_count;
            scan->carried = lane->carry;
            lane->node_count += scan->result.node_count;
            pipeline->banks_differ |=
                scan_changes_bank(&scan->result, pipeline->survey ? NULL : &scan->carried);
            scan_carry(&scan->result, &lane->carry);
            if (UNLIKELY(pipeline->survey != NULL))
                shard_note_number(pipeline, slot, i);
        }
        pass_add_time(pipeline, STAGE_STITCH, start_ns);
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_numbering = false;
        slot->state = SLOT_NUMBERED;
        pipeline->next_numbered++;
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// --- Chunks --------------------------------------------------------------------------------------

// Whether calls can be matched in chunks. A range of the trace clips calls by what came before, and
// instructions and decisions are reported one by one.
static bool goes_in_chunks(const struct pipeline *pipeline, const struct chunk_data *data,
                           enum calls_way way)
{
    const struct pass_options *options = pipeline->options;
    const struct call_consumer *consumer = consumer_of(options, way);
    bool is_clipped = consumer == &options->consumer && !call_range_is_all(&options->range);
    return consumer->fold && consumer->stores && !consumer->instruction && !is_clipped &&
           !pipeline->observer->transfer && data->scan_count <= CHUNKS_MAX;
}

// False: no memory.
static bool match_by_shadow(const struct pipeline *pipeline, const struct chunk_calls *calls,
                            struct part_scan *scan)
{
    const struct pass_options *options = pipeline->options;
    const struct chunk_options how = {
        .functions = options->functions,
        .exceptions = pipeline->language->exceptions,
        .returned_only = options->how.reading == READING_TRUE && !options->keep_open_calls,
        .stores = calls->kind,
        .store = calls->store,
    };
    return (scan->shadow || (scan->shadow = shadow_chunk_new())) &&
           shadow_chunk_match(scan->shadow, &how, scan->result.transfers.items,
                              scan->result.transfers.count);
}

// Matches all parts of a chunk this way. False: no memory.
static bool match_chunks(const struct pipeline *pipeline, struct chunk_data *data,
                         enum calls_way way)
{
    struct chunk_calls *calls = &data->calls[way];
    const struct call_consumer *consumer = consumer_of(pipeline->options, way);
    calls->kind = consumer->stores;
    if (!calls->store && !(calls->store = consumer->stores->make(consumer->self)))
        return false;
    consumer->stores->clear(calls->store);
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        scan->is_chunk[way] = true;
        if (scan->lane == LIMIT_LANES)
            continue;
        if (way == CALLS_BY_SHADOW) {
            if (!match_by_shadow(pipeline, calls, scan))
                return false;
        } else if (!(scan->reference || (scan->reference = calls_chunk_new())) ||
                   !calls_chunk_match(scan->reference, calls->kind, calls->store,
                                      scan->result.transfers.items, scan->result.transfers.count)) {
            return false;
        }
    }
    return true;
}

// False: no memory.
static bool match_chunk(const struct pipeline *pipeline, struct chunk_data *data)
{
    const struct lane_calls wanted = match_wanted(pipeline->options);
    bool has_memory = true;
    bool by_shadow = wanted.ways[CALLS_BY_SHADOW] || pipeline->options->transfers.take;
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        memset(scan->is_chunk, 0, sizeof scan->is_chunk);
        if (scan->lane != LIMIT_LANES) {
            // Completes the transfers of a part with data from before the chunk.
            for (size_t j = 0; j < scan->result.transfers.count; j++) {
                scan->result.transfers.items[j].node.event += scan->nodes_before;
                scan->result.transfers.items[j].previous.event += scan->nodes_before;
            }
            if (by_shadow)
                scan_complete(&scan->result, &scan->carried, pipeline->options->programs);
        }
    }
    for (enum calls_way way = 0; way < CALLS_WAYS && has_memory; way++)
        has_memory = !goes_in_chunks(pipeline, data, way) || match_chunks(pipeline, data, way);
    return has_memory;
}

void match_slot(struct pipeline *pipeline, struct slot *slot)
{
    slot->state = SLOT_MATCHING;
    pthread_mutex_unlock(&pipeline->lock);
    uint64_t start_ns = monotonic_ns();
    bool has_memory = match_chunk(pipeline, slot->data);
    pass_add_time(pipeline, STAGE_MATCH, start_ns);
    if (!has_memory)
        pass_fail(pipeline, STATUS_MEMORY, "no memory for the calls of the trace");
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_MATCHED;
}
