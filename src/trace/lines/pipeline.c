// The workers: each takes the next task, the oldest first.
#include "trace/lines/pipeline.h"

#include "base/large_pages.h"
#include "base/thread.h"
#include "trace/lines/match.h"
#include "trace/lines/parse.h"
#include "trace/lines/running_pass.h"
#include "trace/lines/segments.h"
#include "trace/lines/shard.h"

#include <stdlib.h>

static bool is_done(const struct pipeline *pipeline)
{
    return pipeline->status != STATUS_OK ||
           (pipeline->next_joined >= pipeline->end && segments_are_done(pipeline));
}

// Takes the next chunk from the source into a free slot. Called and left with the lock held.
static struct slot *take_chunk(struct pipeline *pipeline)
{
    uint64_t sequence = pipeline->next_taken;
    struct slot *slot = slot_at(pipeline, sequence);
    if (pipeline->is_taking || sequence >= pipeline->end || slot->state != SLOT_FREE)
        return NULL;
    uint64_t start_ns = monotonic_ns();
    struct error err;
    pipeline->is_taking = true;
    pthread_mutex_unlock(&pipeline->lock);
    const struct pass_pauses *asked = pipeline->options->pauses;
    bool pauses = asked && !pipeline->is_ending && asked->is_due(asked->self);
    enum status status = pauses ? STATUS_OK
                                : source_next(pipeline->source, pipeline->options->chunk_bytes,
                                              &slot->buffer, &slot->chunk, &err);
    pauses |= status == STATUS_OK && !slot->chunk.size_bytes && !slot->chunk.is_last;
    pass_add_time(pipeline, STAGE_SPLIT, start_ns);
    if (status != STATUS_OK)
        pass_fail(pipeline, status, err.text);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->is_taking = false;
    if (status != STATUS_OK)
        return NULL;
    if (pauses) {
        // The workers stop after the chunks in progress.
        if (pipeline->end == UINT64_MAX) {
            pipeline->is_pausing = true;
            pipeline->end = pipeline->next_taken;
        }
        pthread_cond_broadcast(&pipeline->changed);
        return NULL;
    }
    if (!(slot->data = pass_chunk_data(pipeline))) {
        pipeline->status = error_set(&pipeline->error, STATUS_MEMORY, "no memory for a chunk");
        return NULL;
    }
    slot->state = SLOT_PARSING;
    pipeline->next_taken++;
    bool is_last = slot->chunk.is_last || shard_ends_with(pipeline, &slot->chunk);
    if (is_last && pipeline->end == UINT64_MAX)
        pipeline->end = sequence + 1;
    pthread_cond_broadcast(&pipeline->changed);
    return slot;
}

// How much is parsed before it is hashed: little enough that it is still in the nearer caches.
#define HASH_STEP_BYTES ((size_t)128 << 10)

// Parses a chunk, and hashes its blocks of the trace at the same time.
static bool parse_and_hash(const struct pipeline *pipeline, struct slot *slot,
                           const struct reader_state *guess)
{
    const struct source_chunk *chunk = &slot->chunk;
    struct parsed_chunk *parsed = &slot->data->parsed;
    struct block_hashes blocks;
    block_hashes_begin(&blocks, pipeline->source, chunk, pipeline->options->block_hashes,
                       pipeline->options->simd);
    if (!parse_begin(parsed, chunk, &pipeline->parse_options, guess, NULL))
        return false;
    for (size_t step = HASH_STEP_BYTES; parse_is_going_on(parsed); step += HASH_STEP_BYTES) {
        if (!parse_lines(parsed, &pipeline->parse_options, step))
            return false;
        block_hashes_go_on(&blocks, chunk->offset + step);
    }
    block_hashes_end(&blocks);
    return parse_end(parsed, &pipeline->parse_options);
}

// Parses a chunk from a guess. Called and left with the lock held.
static void parse_slot(struct pipeline *pipeline, struct slot *slot)
{
    struct reader_state known = pipeline->reader;
    pthread_mutex_unlock(&pipeline->lock);
    uint64_t start_ns = monotonic_ns();
    source_populate(pipeline->source, &slot->chunk);
    struct reader_state guess = parse_guess(&slot->chunk, &pipeline->parse_options, &known);
    bool has_memory = pipeline->options->block_hashes
                          ? parse_and_hash(pipeline, slot, &guess)
                          : parse_chunk(&slot->data->parsed, &slot->chunk, &pipeline->parse_options,
                                        &guess, NULL);
    pass_add_time(pipeline, STAGE_PARSE, start_ns);
    if (!has_memory)
        pass_fail(pipeline, STATUS_MEMORY, "no memory for the events of a chunk");
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_PARSED;
    pthread_cond_broadcast(&pipeline->changed);
}

// The oldest chunk in a state. Called with the lock held.
static struct slot *find_slot(struct pipeline *pipeline, enum slot_state state)
{
    for (uint64_t i = pipeline->next_joined; i < pipeline->next_stitched; i++) {
        if (slot_at(pipeline, i)->state == state)
            return slot_at(pipeline, i);
    }
    return NULL;
}

struct tally *pass_tally(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    struct tally *tally = pipeline->tallies;
    if (tally)
        pipeline->tallies = tally->next;
    pthread_mutex_unlock(&pipeline->lock);
    return tally ? tally : tally_new();
}

void pass_release_tally(struct pipeline *pipeline, struct tally *tally)
{
    if (!tally)
        return;
    pthread_mutex_lock(&pipeline->lock);
    tally->next = pipeline->tallies;
    pipeline->tallies = tally;
    pthread_mutex_unlock(&pipeline->lock);
}

// Counts the instructions of a part. If the scan is omitted, also sets what it would have found
// about nodes. False: no memory.
static bool tally_part(struct pipeline *pipeline, struct slot *slot, size_t number, bool is_scanned)
{
    struct part_scan *scan = &slot->data->scans.items[number];
    const struct tally_part part = {.lane = scan->lane,
                                    .before = &scan->before,
                                    .base = &slot->data->base,
                                    .range = pipeline->options->counted};
    struct tally_end end;
    struct tally *tally = pass_tally(pipeline);
    bool has_memory =
        tally &&
        tally_marks(tally, &part, &slot->data->parsed.parts.items[number].marks, &scan->ends, &end);
    pass_release_tally(pipeline, tally);
    if (has_memory && !is_scanned) {
        scan_result_clear(&scan->result);
        scan->result.node_count = end.node_count;
        scan->state.node = end.node;
    }
    return has_memory;
}

// Whether only counts of instructions are needed, so that of a scan only its nodes are.
static bool is_counted_alone(const struct pipeline *pipeline)
{
    const struct pass_options *options = pipeline->options;
    return options->counted && call_range_is_all(options->counted) &&
           call_range_is_all(&options->range) && pipeline->scan_options.drop_transfers &&
           !options->watch.count && !pipeline->segment_slot_count;
}

// False: no memory.
static bool scan_part(struct pipeline *pipeline, struct slot *slot, size_t number)
{
    struct part_scan *scan = &slot->data->scans.items[number];
    struct scan_options options = pipeline->scan_options;
    options.drop_transfers |= !match_takes_transfers(pipeline, slot->data);
    // The first instruction of a lane is found by a scan.
    bool is_scanned = !is_counted_alone(pipeline) || !scan->before.has_root;
    scan->result.memo = slot->data->memo;
    if (is_scanned && !scan_marks(&scan->state, &slot->data->parsed.parts.items[number].marks,
                                  &slot->chunk, &slot->data->base, &options, &scan->result))
        return false;
    if (UNLIKELY(pipeline->survey != NULL) && !shard_note_scan(slot, number, &scan->before))
        return false;
    bool is_counted = pipeline->options->counted && call_range_is_all(pipeline->options->counted);
    return !is_counted || tally_part(pipeline, slot, number, is_scanned);
}

// Called and left with the lock held.
static void scan_slot(struct pipeline *pipeline, struct slot *slot)
{
    slot->state = SLOT_SCANNING;
    pthread_mutex_unlock(&pipeline->lock);
    uint64_t start_ns = monotonic_ns();
    bool has_memory = true;
    for (size_t i = 0; i < slot->data->scan_count && has_memory; i++) {
        if (slot->data->scans.items[i].lane != LIMIT_LANES)
            has_memory = scan_part(pipeline, slot, i);
    }
    if (pipeline->segment_slot_count && has_memory)
        has_memory = chunk_data_order(slot->data);
    if (!pipeline->options->segments.keeps_instructions)
        source_release(pipeline->source, &slot->chunk);
    pass_add_time(pipeline, STAGE_SCAN, start_ns);
    if (!has_memory)
        pass_fail(pipeline, STATUS_MEMORY, "no memory for the transfers of a chunk");
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_SCANNED;
}

static void *work(void *context)
{
    struct pipeline *pipeline = context;
    struct slot *slot;
    pthread_mutex_lock(&pipeline->lock);
    while (!is_done(pipeline)) {
        if (segments_work(pipeline)) {
            join_ready(pipeline); // there may be room now
        } else if ((slot = find_slot(pipeline, SLOT_NUMBERED))) {
            match_slot(pipeline, slot);
            join_ready(pipeline);
        } else if ((slot = find_slot(pipeline, SLOT_STITCHED))) {
            scan_slot(pipeline, slot);
            match_number_ready(pipeline);
        } else if ((slot = take_chunk(pipeline))) {
            parse_slot(pipeline, slot);
            stitch_ready(pipeline);
        } else if (!is_done(pipeline)) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
        }
    }
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

// The calling thread is also a worker. If no other threads can be started, it does all the work.
static void run_workers(struct pipeline *pipeline)
{
    pthread_t threads[LIMIT_THREADS];
    unsigned wanted = (unsigned)u64_min(pipeline->options->threads, LIMIT_THREADS);
    large_pages_begin();
    unsigned started = wanted > 1 ? threads_start(threads, wanted - 1, work, pipeline, 0) : 0;
    work(pipeline);
    while (started)
        pthread_join(threads[--started], NULL);
    pipeline->result->readings_differ |= pipeline->banks_differ;
}

// Runs the workers until the end of the trace, with pauses where they are requested.
static void run_with_pauses(struct pipeline *pipeline)
{
    const struct pass_pauses *pauses = pipeline->options->pauses;
    enum pass_pause next = PASS_GO_ON;
    run_workers(pipeline);
    while (pipeline->is_pausing && pipeline->status == STATUS_OK) {
        struct error err;
        next = pauses->pause(pauses->self, &err);
        pipeline->is_pausing = false;
        pipeline->is_ending = next == PASS_END;
        pipeline->end = UINT64_MAX;
        if (next == PASS_FAIL)
            pass_fail(pipeline, err.status, err.text);
        else if (next == PASS_END)
            work(pipeline); // alone: little is left, and this may be a forked process
        else
            run_workers(pipeline);
        pipeline->result->readings_differ |= pipeline->banks_differ;
    }
}

// Ends the lanes, and passes their results to the caller. False: no memory; the result then has no
// lanes.
static bool end_lanes(struct pipeline *pipeline)
{
    struct pass_result *result = pipeline->result;
    const struct lane_result *lanes = pipeline->result_room.items;
    for (size_t i = 0; i < result->lane_count; i++) {
        call_matcher_free(pipeline->lanes[i].matcher);
        shadow_stack_free(pipeline->lanes[i].shadow);
        free(pipeline->lanes[i].programs);
    }
    stable_table_free(&pipeline->lane_room);
    struct lane_result *kept = malloc((result->lane_count + 1) * sizeof *kept);
    if (kept) {
        memcpy(kept, lanes, result->lane_count * sizeof *kept);
        result->lanes = kept;
        return true;
    }
    for (size_t i = 0; i < result->lane_count; i++)
        lane_result_free(&result->lanes[i]);
    result->lanes = NULL;
    result->lane_count = 0;
    return false;
}

static void free_pipeline(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->slot_count; i++) {
        struct slot *slot = &pipeline->slots[i];
        if (slot->data)
            chunk_data_free(slot->data);
        free(slot->buffer.bytes);
    }
    free(pipeline->slots);
    segments_free(pipeline);
    stable_table_free(&pipeline->lane_room);
    stable_table_free(&pipeline->result_room);
    for (struct tally *tally = pipeline->tallies, *next; tally; tally = next) {
        next = tally->next;
        tally_free(tally);
    }
    hashset_free(&pipeline->notes_seen);
    if (pipeline->carried)
        pipeline->language->carry->free(pipeline->carried);
    free(pipeline->carried);
    lane_table_free(&pipeline->lane_table);
    shard_free(pipeline);
    unknown_words_free(&pipeline->unknown_words);
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline);
}

static struct pipeline *new_pipeline(const struct line_language *language, struct source *source,
                                     const struct pass_options *options,
                                     const struct pass_observer *observer,
                                     struct pass_result *result)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    const struct line_carry *carry = language->carry;
    size_t slot_count = 2 * (size_t)options->threads + 1;
    if (!pipeline || !(pipeline->slots = calloc(slot_count, sizeof(struct slot))) ||
        (carry && !(pipeline->carried = calloc(1, carry->size_bytes))) ||
        !stable_table_begin(&pipeline->lane_room, sizeof(struct lane), LIMIT_LANES) ||
        !stable_table_begin(&pipeline->result_room, sizeof *result->lanes, LIMIT_LANES)) {
        if (pipeline) {
            stable_table_free(&pipeline->lane_room);
            free(pipeline->carried);
            free(pipeline->slots);
        }
        free(pipeline);
        return NULL;
    }
    pipeline->lanes = pipeline->lane_room.items;
    pipeline->language = language;
    pipeline->source = source;
    pipeline->options = options;
    pipeline->observer = observer;
    pipeline->result = result;
    bool makes_segments = options->segments.segment_events > 0;
    pipeline->parse_options = (struct parse_options){
        .language = language,
        .how = options->how,
        .split_lanes = options->how.reading == READING_TRUE,
        .lane_prefix_bytes = language->lane_prefix ? (uint8_t)strlen(language->lane_prefix) : 0,
        .stop_at_fault = options->stop_at_fault,
        .tells_cut_line = options->tells_cut_line,
        .keep_records = makes_segments,
        .keep_instructions = makes_segments && options->segments.keeps_instructions,
        .keep_names = makes_segments && options->segments.names,
        .records = {options->how.reading, options->big_endian},
        .simd = options->simd,
        .programs = options->programs,
        .task_key = options->task_key,
    };
    bool by_shadow = match_wanted(options).ways[CALLS_BY_SHADOW] || options->transfers.take;
    pipeline->scan_options = (struct scan_options){
        .language = language,
        .functions = by_shadow ? options->functions : NULL,
        .watch = options->watch,
        .has_programs = options->programs != NULL,
        .task_key = options->task_key,
        .keep_nodes = makes_segments,
        .keep_modes = makes_segments && options->how.reading == READING_TRUE,
        .drop_transfers =
            !options->consumer.fold && !options->other_consumer.fold && !options->transfers.take,
    };
    pipeline->slot_count = slot_count;
    pipeline->end = UINT64_MAX;
    result->lanes = pipeline->result_room.items;
    pipeline->reader = (struct reader_state){LINE_CONTEXT_START, {""}};
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    if (makes_segments && !segments_begin(pipeline)) {
        result->lanes = NULL;
        free_pipeline(pipeline);
        return NULL;
    }
    return pipeline;
}

enum status pipeline_run(const struct line_language *language, struct source *source,
                         const struct pass_options *options, const struct pass_observer *observer,
                         struct pass_result *result, int *finer, struct error *err)
{
    uint64_t start_ns = monotonic_ns();
    *result = (struct pass_result){0};
    struct pipeline *pipeline = new_pipeline(language, source, options, observer, result);
    if (!pipeline)
        return error_set(err, STATUS_MEMORY, "no memory to start");
    pipeline->finer = finer;
    enum status status = shard_begin(pipeline, &pipeline->error);
    if (status == STATUS_OK) {
        run_with_pauses(pipeline);
        status = pipeline->status;
    }
    if (status == STATUS_OK && pipeline->survey && !shard_end(pipeline))
        status = error_set(&pipeline->error, STATUS_MEMORY, "no memory for a survey");
    if (status == STATUS_OK && !join_finish(pipeline))
        status = error_set(&pipeline->error, STATUS_MEMORY, "no memory for the calls of the trace");
    if (status == STATUS_OK && !source_is_intact(source))
        status =
            error_set(&pipeline->error, STATUS_INPUT, "the trace was changed while it was read");
    if (status != STATUS_OK && err)
        *err = pipeline->error;
    result->wall_ns = monotonic_ns() - start_ns;
    if (!end_lanes(pipeline) && status == STATUS_OK)
        status = error_set(err, STATUS_MEMORY, "no memory for the cores of the trace");
    unknown_words_sum_up(&pipeline->unknown_words, &result->unknown);
    free_pipeline(pipeline);
    return status;
}
