#include "trace/tarmac/match.h"

// Each part of a chunk that is matched by itself takes some memory: where there are more, each has
// few transfers, and they are joined one by one.
#define PIECES_MAX 64

struct lane_calls match_wanted(const struct pass_options *options)
{
    bool is_wanted = options->consumer.fold != NULL,
         is_other = options->other_consumer.fold != NULL;
    return options->how.reading == READING_TTU ? (struct lane_calls){is_wanted, is_other}
                                               : (struct lane_calls){is_other, is_wanted};
}

// --- Numbers -------------------------------------------------------------------------------------

static void number_chunk(struct pipeline *pipeline, struct chunk_data *data)
{
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        if (scan->lane == LIMIT_LANES)
            continue;
        struct lane *lane = &pipeline->lanes[scan->lane];
        scan->nodes_before = lane->node_count;
        scan->carried = lane->carry;
        lane->node_count += scan->result.node_count;
        scan_carry(&scan->result, &lane->carry);
    }
}

void match_number_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_numbering && pipeline->status == STATUS_OK &&
           pipeline->next_numbered < pipeline->next_stitched &&
           slot_at(pipeline, pipeline->next_numbered)->state == SLOT_SCANNED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_numbered);
        uint64_t start_ns = monotonic_ns();
        pipeline->is_numbering = true;
        pthread_mutex_unlock(&pipeline->lock);
        number_chunk(pipeline, slot->data);
        pass_add_time(pipeline, STAGE_STITCH, start_ns);
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_numbering = false;
        slot->state = SLOT_NUMBERED;
        pipeline->next_numbered++;
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// --- Pieces --------------------------------------------------------------------------------------

// Who gets the calls of the machine, where they can be matched in pieces; else without `pieces`. A
// range of the trace clips calls by what was before them, and instructions are given one by one.
static struct call_consumer consumer_of_pieces(const struct pass_options *options)
{
    bool is_ttu = options->how.reading == READING_TTU;
    struct call_consumer consumer = is_ttu ? options->other_consumer : options->consumer;
    if (consumer.instruction || !(is_ttu || call_range_is_all(&options->range)))
        consumer.pieces = NULL;
    return consumer;
}

// Has a store for calls ready. False: no memory.
static bool empty_store(struct chunk_data *data, const struct call_consumer *consumer)
{
    if (!data->calls)
        data->calls = consumer->pieces->make(consumer->self);
    if (!data->calls)
        return false;
    data->calls_kind = consumer->pieces;
    consumer->pieces->clear(data->calls);
    return true;
}

// False: no memory.
static bool match_piece(const struct pipeline *pipeline, const struct chunk_data *data,
                        struct part_scan *scan)
{
    const struct pass_options *options = pipeline->options;
    const struct piece_options how = {
        .functions = options->functions,
        .returned_only = options->how.reading == READING_RIGHT && !options->keep_open_calls,
        .pieces = data->calls_kind,
        .store = data->calls,
    };
    if (!scan->piece && !(scan->piece = shadow_piece_new()))
        return false;
    scan->is_piece = true;
    return shadow_piece_match(scan->piece, &how, scan->result.transfers.items,
                              scan->result.transfers.count);
}

// Completes the transfers of a part by what was before the chunk.
static void complete(struct part_scan *scan, bool by_shadow)
{
    for (size_t i = 0; i < scan->result.transfers.count; i++) {
        scan->result.transfers.items[i].node.event += scan->nodes_before;
        scan->result.transfers.items[i].previous.event += scan->nodes_before;
    }
    if (by_shadow)
        scan_complete(&scan->result, &scan->carried);
}

// False: no memory.
static bool match_chunk(const struct pipeline *pipeline, struct chunk_data *data)
{
    const struct lane_calls wanted = match_wanted(pipeline->options);
    const struct call_consumer consumer = consumer_of_pieces(pipeline->options);
    bool in_pieces = wanted.by_shadow && consumer.pieces && data->scan_count <= PIECES_MAX;
    if (in_pieces && !empty_store(data, &consumer))
        return false;
    for (size_t i = 0; i < data->scan_count; i++) {
        struct part_scan *scan = &data->scans.items[i];
        scan->is_piece = false;
        if (scan->lane == LIMIT_LANES)
            continue;
        complete(scan, wanted.by_shadow);
        if (in_pieces && !match_piece(pipeline, data, scan))
            return false;
    }
    return true;
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
