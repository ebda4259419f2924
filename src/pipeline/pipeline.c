#include "pipeline/pipeline.h"

#include "base/hashset.h"
#include "pipeline/parse.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum slot_state {
    SLOT_FREE,
    SLOT_PARSING,
    SLOT_PARSED,
    SLOT_STITCHED, // ready to be scanned
    SLOT_SCANNING,
    SLOT_SCANNED, // ready to be matched
};

// What the scan of one lane's part of a chunk needs, and leaves.
struct part_scan {
    size_t lane;
    struct lane_state before, state; // the chunk, and as far as it was scanned
    struct scan_result result;
};

// A chunk in flight. Its memory is used again for a later one.
struct slot {
    enum slot_state state;
    struct source_chunk chunk;
    struct source_buffer buffer;
    struct parsed_chunk parsed;
    struct chunk_base base;
    VEC(, struct part_scan) scans; // as many as parts were stitched
    size_t scan_count;
};

struct lane {
    struct lane_state state; // behind the last stitched chunk
    struct call_matcher *matcher;
};

struct pipeline {
    struct source *source;
    const struct pipeline_options *options;
    const struct pipeline_observer *observer;
    struct pipeline_result *result;
    struct parse_options parse_options;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    // All below is guarded by the lock, or belongs to the one worker that holds the named role.
    struct slot *slots;
    size_t slot_count;
    uint64_t next_taken, next_stitched, next_matched; // sequence numbers of chunks
    uint64_t end;                              // one past the last chunk; UINT64_MAX: unknown
    bool is_taking, is_stitching, is_matching; // some worker has the role
    enum status status;
    struct error error;

    // Of the stitching role.
    struct reader_state reader;
    struct lane lanes[LIMIT_LANES];
    struct chunk_base base;
    uint64_t first_event_line; // 0: none yet
    struct hashset notes_seen;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static struct slot *slot_at(struct pipeline *pipeline, uint64_t sequence)
{
    return &pipeline->slots[sequence % pipeline->slot_count];
}

static void fail(struct pipeline *pipeline, enum status status, const char *text)
{
    pthread_mutex_lock(&pipeline->lock);
    if (pipeline->status == STATUS_OK)
        pipeline->status = error_set(&pipeline->error, status, "%s", text);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

static void add_time(struct pipeline *pipeline, enum pipeline_stage stage, uint64_t since_ns)
{
    __atomic_fetch_add(&pipeline->result->stage_ns[stage], now_ns() - since_ns, __ATOMIC_RELAXED);
}

// --- Stitch: in order, one worker at a time ------------------------------------------------------

static void report_note(struct pipeline *pipeline, const struct slot *slot,
                        const struct parsed_note *note)
{
    bool is_new = false;
    if (pipeline->notes_seen.count < LIMIT_NOTES &&
        !hashset_add(&pipeline->notes_seen, note->hash, &is_new))
        is_new = true; // without memory, rather twice than never
    if (!is_new || !pipeline->observer->note)
        return;
    uint64_t line = slot->base.line + note->line + 1;
    struct line_note_report report = {
        .line = line,
        .offset = slot->base.position + note->position,
        .is_first_event = !pipeline->first_event_line || line <= pipeline->first_event_line,
        .note = note->note,
        .subject = note->subject,
        .subject_length = note->subject_length,
        .chunk = &slot->chunk,
    };
    pipeline->observer->note(pipeline->observer->self, &report);
}

// False: stop here.
static bool report_fault(struct pipeline *pipeline, const struct slot *slot,
                         const struct parsed_fault *fault)
{
    const struct parsed_chunk *parsed = &slot->parsed;
    uint64_t line = slot->base.line + fault->line + 1;
    uint64_t first_event = pipeline->first_event_line;
    bool has_events = first_event && first_event < line;
    struct line_fault report = {
        .line = line,
        .offset = slot->base.position + fault->position,
        .has_events = has_events,
        .header_lines = has_events ? first_event - 1 : 0,
        .is_partial = parsed->ends_partial && fault->line + 1 == parsed->line_count,
        .fault = fault->fault,
        .text = fault->text,
        .length = fault->length,
        .chunk = &slot->chunk,
    };
    return !pipeline->observer->fault ||
           pipeline->observer->fault(pipeline->observer->self, &report);
}

// Notes and faults of the chunk, in the order of their lines. False: stop behind this chunk.
static bool report_lines(struct pipeline *pipeline, const struct slot *slot)
{
    const struct parsed_chunk *parsed = &slot->parsed;
    size_t note = 0;
    bool go_on = true;
    for (size_t i = 0; i < parsed->faults.count && go_on; i++) {
        const struct parsed_fault *fault = &parsed->faults.items[i];
        for (; note < parsed->notes.count && parsed->notes.items[note].line <= fault->line; note++)
            report_note(pipeline, slot, &parsed->notes.items[note]);
        go_on = report_fault(pipeline, slot, fault);
    }
    for (; note < parsed->notes.count && go_on; note++)
        report_note(pipeline, slot, &parsed->notes.items[note]);
    return go_on;
}

// The lane of that name, made if it is new. LIMIT_LANES when there are too many.
static size_t find_lane(struct pipeline *pipeline, const struct lane_name *name)
{
    struct pipeline_result *result = pipeline->result;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (strcmp(result->lanes[i].name, name->text) == 0)
            return i;
    }
    if (result->lane_count == LIMIT_LANES)
        return LIMIT_LANES;
    memcpy(result->lanes[result->lane_count].name, name->text, sizeof name->text);
    pipeline->lanes[result->lane_count].state = LANE_STATE_START;
    return result->lane_count++;
}

static bool scan_room(struct slot *slot)
{
    if (slot->scan_count < slot->scans.count)
        return true;
    if (!VEC_ROOM(&slot->scans, 1))
        return false;
    slot->scans.items[slot->scans.count++] = (struct part_scan){0};
    return true;
}

static const struct watch_list no_watch = {NULL, 0};

// Hands each part the state before it, and moves the lanes behind the chunk.
static bool stitch_lanes(struct pipeline *pipeline, struct slot *slot)
{
    slot->scan_count = 0;
    for (size_t i = 0; i < slot->parsed.part_count; i++) {
        const struct lane_part *part = &slot->parsed.parts.items[i];
        size_t lane = find_lane(pipeline, &part->name);
        if (!scan_room(slot))
            return false;
        struct part_scan *scan = &slot->scans.items[slot->scan_count++];
        scan->lane = lane;
        if (lane == LIMIT_LANES) {
            slot->parsed.lines_of_refused_lanes += part->line_count;
            continue;
        }
        struct lane_state *state = &pipeline->lanes[lane].state;
        scan->before = scan->state = *state;
        if (lane_state_can_resolve(state, &part->marks))
            lane_state_resolve(state, &part->marks, &part->summary, &slot->base);
        else if (!scan_marks(state, &part->marks, &slot->base, &no_watch, &scan->result))
            return false;
        pipeline->result->lanes[lane].events += part->marks.event_count;
        pipeline->result->lanes[lane].instructions += part->marks.instruction_count;
    }
    return true;
}

static void count_chunk(struct pipeline *pipeline, const struct slot *slot)
{
    const struct parsed_chunk *parsed = &slot->parsed;
    pipeline->result->damaged_lines += parsed->fault_count + parsed->lines_of_refused_lanes;
    pipeline->result->damaged_bytes += parsed->fault_bytes;
    pipeline->result->lines_of_refused_lanes += parsed->lines_of_refused_lanes;
    pipeline->result->lines += parsed->line_count;
    pipeline->result->bytes += slot->chunk.size_bytes;
    pipeline->result->chunks++;
    pipeline->base.line += parsed->line_count;
    pipeline->base.position += slot->chunk.size_bytes;
}

// `line` counts from 0.
static void set_first_event(struct pipeline *pipeline, uint64_t line)
{
    pipeline->first_event_line = line + 1;
    pipeline->result->header_lines = line;
}

// A chunk that alone has more lanes than there may be: which of them are left out depends on those
// that came before.
static NEVER_INLINE bool parse_with_known_lanes(struct pipeline *pipeline, struct slot *slot)
{
    struct lane_list known = {.count = pipeline->result->lane_count};
    for (size_t i = 0; i < known.count; i++)
        memcpy(known.names[i].text, pipeline->result->lanes[i].name, sizeof known.names[i].text);
    pipeline->result->chunks_parsed_again++;
    return parse_chunk(&slot->parsed, &slot->chunk, &pipeline->parse_options, &pipeline->reader,
                       &known);
}

// False: the run ends behind this chunk, or without memory.
static bool stitch_chunk(struct pipeline *pipeline, struct slot *slot, bool *has_memory)
{
    struct parsed_chunk *parsed = &slot->parsed;
    *has_memory = true;
    if (!reader_state_equal(&parsed->guess, &pipeline->reader)) {
        pipeline->result->chunks_parsed_again++;
        if (!(*has_memory = parse_chunk(parsed, &slot->chunk, &pipeline->parse_options,
                                        &pipeline->reader, NULL)))
            return false;
    }
    if (UNLIKELY(parsed->has_refused_lanes) &&
        !(*has_memory = parse_with_known_lanes(pipeline, slot)))
        return false;
    pthread_mutex_lock(&pipeline->lock); // others take it for their guesses
    pipeline->reader = parsed->end;
    pthread_mutex_unlock(&pipeline->lock);
    slot->base = pipeline->base;
    if (!pipeline->first_event_line && parsed->first_event_line != UINT32_MAX)
        set_first_event(pipeline, slot->base.line + parsed->first_event_line);
    if (!(*has_memory = stitch_lanes(pipeline, slot)))
        return false;
    bool go_on = report_lines(pipeline, slot);
    count_chunk(pipeline, slot);
    if (go_on && pipeline->observer->advanced)
        pipeline->observer->advanced(pipeline->observer->self, &slot->chunk);
    return go_on;
}

// Stitches every chunk whose turn it is. Called and left with the lock held.
static void stitch_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_stitching && pipeline->status == STATUS_OK &&
           pipeline->next_stitched < pipeline->end &&
           pipeline->next_stitched < pipeline->next_taken &&
           slot_at(pipeline, pipeline->next_stitched)->state == SLOT_PARSED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_stitched);
        uint64_t start_ns = now_ns();
        bool has_memory = true;
        pipeline->is_stitching = true;
        pthread_mutex_unlock(&pipeline->lock);
        bool is_intact = source_is_intact(pipeline->source);
        bool go_on = is_intact && stitch_chunk(pipeline, slot, &has_memory);
        add_time(pipeline, STAGE_STITCH, start_ns);
        if (!is_intact)
            fail(pipeline, STATUS_INPUT, "the trace was changed while it was read");
        else if (!has_memory)
            fail(pipeline, STATUS_MEMORY, "no memory for the events of a chunk");
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_stitching = false;
        if (is_intact && has_memory && !go_on) {
            pipeline->end = pipeline->next_stitched + 1;
            pipeline->result->stopped_at_fault = true;
        }
        slot->state = SLOT_STITCHED;
        pipeline->next_stitched++;
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// --- Match: in order, one worker at a time -------------------------------------------------------

static bool match_transfers(struct pipeline *pipeline, struct lane *lane, struct part_scan *scan,
                            uint64_t nodes_before)
{
    const struct pipeline_observer *observer = pipeline->observer;
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

static bool match_part(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    struct part_scan *scan = &slot->scans.items[part];
    struct lane *lane = &pipeline->lanes[scan->lane];
    struct lane_result *result = &pipeline->result->lanes[scan->lane];
    if (!matcher_of(pipeline, scan->lane))
        return false;
    find_range_ends(result, scan, &slot->parsed.parts.items[part].marks, &slot->base);
    if (pipeline->options->consumer.fold && !match_transfers(pipeline, lane, scan, result->nodes))
        return false;
    if (scan->result.has_root) {
        result->has_root = true;
        result->root = scan->result.root;
        result->root.event += result->nodes;
    }
    if (result->nodes == 0 && scan->result.node_count)
        result->first_time = scan->result.first_time;
    result->last = scan->state.node;
    result->last.event += result->nodes;
    if (!visit_log_add(&result->visits, scan->result.visits.items, scan->result.visits.count,
                       pipeline->options->watch.count, result->nodes))
        return false;
    result->nodes += scan->result.node_count;
    return true;
}

// Matches every chunk whose turn it is. Called and left with the lock held.
static void match_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_matching && pipeline->status == STATUS_OK &&
           pipeline->next_matched < pipeline->next_stitched &&
           slot_at(pipeline, pipeline->next_matched)->state == SLOT_SCANNED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_matched);
        uint64_t start_ns = now_ns();
        bool has_memory = true;
        pipeline->is_matching = true;
        pthread_mutex_unlock(&pipeline->lock);
        for (size_t i = 0; i < slot->scan_count && has_memory; i++) {
            if (slot->scans.items[i].lane != LIMIT_LANES)
                has_memory = match_part(pipeline, slot, i);
        }
        add_time(pipeline, STAGE_MATCH, start_ns);
        if (!has_memory)
            fail(pipeline, STATUS_MEMORY, "no memory for the calls of the trace");
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_matching = false;
        slot->state = SLOT_FREE;
        pipeline->next_matched++;
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// --- Workers -------------------------------------------------------------------------------------

static bool is_done(const struct pipeline *pipeline)
{
    return pipeline->status != STATUS_OK || pipeline->next_matched >= pipeline->end;
}

// The next chunk from the source into a free slot. Called and left with the lock held.
static struct slot *take_chunk(struct pipeline *pipeline)
{
    uint64_t sequence = pipeline->next_taken;
    struct slot *slot = slot_at(pipeline, sequence);
    if (pipeline->is_taking || sequence >= pipeline->end || slot->state != SLOT_FREE)
        return NULL;
    uint64_t start_ns = now_ns();
    struct error err;
    pipeline->is_taking = true;
    pthread_mutex_unlock(&pipeline->lock);
    enum status status = source_next(pipeline->source, pipeline->options->chunk_bytes,
                                     &slot->buffer, &slot->chunk, &err);
    add_time(pipeline, STAGE_SPLIT, start_ns);
    if (status != STATUS_OK)
        fail(pipeline, status, err.text);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->is_taking = false;
    if (status != STATUS_OK)
        return NULL;
    slot->state = SLOT_PARSING;
    pipeline->next_taken++;
    if (slot->chunk.is_last && pipeline->end == UINT64_MAX)
        pipeline->end = sequence + 1;
    pthread_cond_broadcast(&pipeline->changed);
    return slot;
}

// Parses a chunk from a guess. Called and left with the lock held.
static void parse_slot(struct pipeline *pipeline, struct slot *slot)
{
    struct reader_state known = pipeline->reader;
    pthread_mutex_unlock(&pipeline->lock);
    uint64_t start_ns = now_ns();
    source_populate(pipeline->source, &slot->chunk);
    struct reader_state guess = parse_guess(&slot->chunk, &pipeline->parse_options, &known);
    bool has_memory =
        parse_chunk(&slot->parsed, &slot->chunk, &pipeline->parse_options, &guess, NULL);
    add_time(pipeline, STAGE_PARSE, start_ns);
    if (!has_memory)
        fail(pipeline, STATUS_MEMORY, "no memory for the events of a chunk");
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_PARSED;
    pthread_cond_broadcast(&pipeline->changed);
}

// The oldest stitched chunk, if one waits for its scan. Called with the lock held.
static struct slot *find_unscanned(struct pipeline *pipeline)
{
    for (uint64_t i = pipeline->next_matched; i < pipeline->next_stitched; i++) {
        if (slot_at(pipeline, i)->state == SLOT_STITCHED)
            return slot_at(pipeline, i);
    }
    return NULL;
}

// Called and left with the lock held.
static void scan_slot(struct pipeline *pipeline, struct slot *slot)
{
    slot->state = SLOT_SCANNING;
    pthread_mutex_unlock(&pipeline->lock);
    uint64_t start_ns = now_ns();
    bool has_memory = true;
    for (size_t i = 0; i < slot->scan_count && has_memory; i++) {
        struct part_scan *scan = &slot->scans.items[i];
        if (scan->lane != LIMIT_LANES)
            has_memory = scan_marks(&scan->state, &slot->parsed.parts.items[i].marks, &slot->base,
                                    &pipeline->options->watch, &scan->result);
    }
    source_release(pipeline->source, &slot->chunk);
    add_time(pipeline, STAGE_SCAN, start_ns);
    if (!has_memory)
        fail(pipeline, STATUS_MEMORY, "no memory for the transfers of a chunk");
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_SCANNED;
}

static void *work(void *context)
{
    struct pipeline *pipeline = context;
    struct slot *slot;
    pthread_mutex_lock(&pipeline->lock);
    while (!is_done(pipeline)) {
        if ((slot = find_unscanned(pipeline))) {
            scan_slot(pipeline, slot);
            match_ready(pipeline);
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

// The calling thread is a worker too; if others cannot be had, it does all.
static void run_workers(struct pipeline *pipeline)
{
    pthread_t threads[LIMIT_THREADS];
    unsigned started = 0;
    while (started + 1 < pipeline->options->threads &&
           pthread_create(&threads[started], NULL, work, pipeline) == 0)
        started++;
    work(pipeline);
    while (started)
        pthread_join(threads[--started], NULL);
}

static bool finish_lanes(struct pipeline *pipeline)
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

static void free_slots(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->slot_count; i++) {
        struct slot *slot = &pipeline->slots[i];
        parsed_chunk_free(&slot->parsed);
        for (size_t scan = 0; scan < slot->scans.count; scan++)
            scan_result_free(&slot->scans.items[scan].result);
        free(slot->scans.items);
        free(slot->buffer.bytes);
    }
    free(pipeline->slots);
}

static void free_pipeline(struct pipeline *pipeline)
{
    free_slots(pipeline);
    for (size_t i = 0; i < LIMIT_LANES; i++)
        call_matcher_free(pipeline->lanes[i].matcher);
    hashset_free(&pipeline->notes_seen);
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline);
}

static struct pipeline *new_pipeline(struct source *source, const struct pipeline_options *options,
                                     const struct pipeline_observer *observer,
                                     struct pipeline_result *result)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    size_t slot_count = 2 * (size_t)options->threads + 1;
    result->lanes = calloc(LIMIT_LANES, sizeof *result->lanes);
    if (!pipeline || !result->lanes ||
        !(pipeline->slots = calloc(slot_count, sizeof(struct slot)))) {
        free(pipeline);
        return NULL;
    }
    pipeline->source = source;
    pipeline->options = options;
    pipeline->observer = observer;
    pipeline->result = result;
    pipeline->parse_options = (struct parse_options){
        options->tarmac, options->tarmac.reading == READING_RIGHT, options->stop_at_fault};
    pipeline->slot_count = slot_count;
    pipeline->end = UINT64_MAX;
    pipeline->reader = (struct reader_state){TARMAC_CONTEXT_START, {""}};
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    return pipeline;
}

enum status pipeline_run(struct source *source, const struct pipeline_options *options,
                         const struct pipeline_observer *observer, struct pipeline_result *result,
                         struct error *err)
{
    uint64_t start_ns = now_ns();
    *result = (struct pipeline_result){0};
    struct pipeline *pipeline = new_pipeline(source, options, observer, result);
    if (!pipeline)
        return error_set(err, STATUS_MEMORY, "no memory to begin with");
    run_workers(pipeline);
    enum status status = pipeline->status;
    if (status == STATUS_OK && !finish_lanes(pipeline))
        status = error_set(&pipeline->error, STATUS_MEMORY, "no memory for the calls of the trace");
    if (status == STATUS_OK && !source_is_intact(source))
        status =
            error_set(&pipeline->error, STATUS_INPUT, "the trace was changed while it was read");
    if (status != STATUS_OK && err)
        *err = pipeline->error;
    result->wall_ns = now_ns() - start_ns;
    free_pipeline(pipeline);
    return status;
}

void pipeline_result_free(struct pipeline_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++)
        visit_log_free(&result->lanes[i].visits);
    free(result->lanes);
    *result = (struct pipeline_result){0};
}
