#include "trace/lines/shard.h"

#include "base/fingerprint.h"
#include "trace/lines/parse.h"
#include "trace/lines/survey.h"

#include <inttypes.h>
#include <stdlib.h>

// --- What a pass begins with ---------------------------------------------------------------------

// The messages about a shard, and where its lines are in the trace.
struct survey_place {
    uint64_t lines_before, first_event_line; // 0: none before
    struct messages said; // points into the bytes of the survey, which continue to exist
};

struct beginning {
    struct pipeline *pipeline;
    struct pass_entry entry;
    VEC(, struct survey_place) places;
    const struct survey_place *place; // of the messages that are being repeated
};

static enum status damaged(size_t number, struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "the survey of piece %zu is damaged", number + 1);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for surveys");
}

// Copies the hashes in a survey to those of the trace. False: the trace has fewer shards.
static bool give_hashes(const struct pipeline *pipeline, const struct survey *survey)
{
    uint64_t *hashes = pipeline->options->block_hashes;
    uint64_t count = fingerprint_block_count(source_size_bytes(pipeline->source));
    if (survey->first_hash > count || survey->hashes.count > count - survey->first_hash)
        return false;
    for (size_t i = 0; hashes && i < survey->hashes.count; i++)
        hashes[survey->first_hash + i] = survey->hashes.items[i];
    return true;
}

static enum status move_over(struct beginning *beginning, size_t number, struct error *err)
{
    const struct packed_survey *packed = &beginning->pipeline->options->shard.before[number];
    struct survey survey;
    enum survey_obstacle obstacle;
    if (!VEC_ROOM(&beginning->places, 1))
        return no_memory(err);
    enum status status = survey_unpack(&survey, packed->bytes, packed->size_bytes);
    beginning->places.items[beginning->places.count++] = (struct survey_place){
        beginning->entry.base.line, beginning->entry.first_event_line, survey.said};
    if (status == STATUS_OK)
        status = pass_entry_move(&beginning->entry, &survey, &obstacle);
    if (status == STATUS_OK && !give_hashes(beginning->pipeline, &survey))
        status = STATUS_DAMAGED;
    survey_free(&survey);
    if (status == STATUS_NOT_FOUND)
        return error_set(err, status, "%s", survey_obstacle_text(obstacle));
    return status == STATUS_DAMAGED ? damaged(number, err)
           : status != STATUS_OK    ? no_memory(err)
                                    : STATUS_OK;
}

static void say_note(void *self, const struct line_note_report *note)
{
    const struct beginning *beginning = self;
    struct pipeline *pipeline = beginning->pipeline;
    struct line_note_report said = *note;
    said.line += beginning->place->lines_before;
    said.is_first_event &= !beginning->place->first_event_line;
    uint64_t hash = parsed_note_hash(note->note, note->subject, note->subject_length);
    if (pass_is_new_note(pipeline, hash) && pipeline->observer->note)
        pipeline->observer->note(pipeline->observer->self, &said);
}

static bool say_fault(void *self, const struct line_fault *fault)
{
    const struct beginning *beginning = self;
    const struct pass_observer *observer = beginning->pipeline->observer;
    const struct survey_place *place = beginning->place;
    struct line_fault said = *fault;
    said.line += place->lines_before;
    if (place->first_event_line) {
        said.has_events = true;
        said.header_lines = place->first_event_line - 1;
    } else if (said.has_events) {
        said.header_lines += place->lines_before;
    }
    return !observer->fault || observer->fault(observer->self, &said);
}

static bool begin_lane(struct pipeline *pipeline, const struct entry_lane *from)
{
    const struct segment_consumer *segments = &pipeline->options->segments;
    struct pass_result *result = pipeline->result;
    size_t at = result->lane_count;
    if (!stable_table_room(&pipeline->lane_room, at + 1) ||
        !stable_table_room(&pipeline->result_room, at + 1))
        return false;
    struct lane *lane = &pipeline->lanes[at];
    struct lane_result *lane_result = &result->lanes[at];
    lane->state = from->state;
    lane->carry = from->carry;
    lane->vector_bytes = from->vector_bytes;
    if (segments->names) // their names depend on their length
        segments->names->vector_bytes =
            (uint32_t)u64_max(segments->names->vector_bytes, from->vector_bytes);
    lane->node_count = lane_result->nodes = from->node_count;
    lane->last_event = from->last_event;
    memcpy(lane_result->name, from->name.text, sizeof lane_result->name);
    lane_result->events = from->event_count;
    lane_result->instructions = from->instruction_count;
    lane_result->has_aarch64 = from->has_aarch64;
    lane_result->has_root = from->has_root;
    lane_result->root.event = from->root_event;
    lane_result->last = from->state.node;
    lane_result->last.event = from->node_count - 1;
    if (segments->found_lane)
        segments->found_lane(segments->self, at, from->name.text);
    result->lane_count++;
    return true;
}

static bool begin_names(struct pipeline *pipeline, const struct register_names *names)
{
    const struct segment_consumer *segments = &pipeline->options->segments;
    for (size_t i = 0; segments->names && i < names->items.count; i++) {
        const struct named_register *item = &names->items.items[i];
        uint32_t number = register_names_add(segments->names, item->name, strlen(item->name));
        if (number == NO_REGISTER_NAME)
            return false;
        struct named_register *known = &segments->names->items.items[number];
        known->size_bytes = item->size_bytes;
        known->write_count = item->write_count;
        if (segments->found_name)
            segments->found_name(segments->self, number, item->name);
    }
    return true;
}

static bool begin_with(struct pipeline *pipeline, const struct pass_entry *entry)
{
    struct pass_result *result = pipeline->result;
    pipeline->base = entry->base;
    pipeline->reader = entry->reader;
    pipeline->first_event_line = entry->first_event_line;
    pipeline->events = pipeline->events_before = entry->events;
    if (pipeline->segment_slot_count)
        pipeline->next_sealed = pipeline->next_carried = pipeline->next_written =
            entry->events / pipeline->options->segments.segment_events;
    result->header_lines = entry->first_event_line ? entry->first_event_line - 1 : 0;
    result->lines = entry->base.line;
    result->bytes = entry->base.position;
    result->damaged_lines = entry->damaged_lines;
    result->damaged_bytes = entry->damaged_bytes;
    result->unknown_events = entry->unknown_events;
    result->doubts = entry->doubts;
    result->readings_differ = entry->readings_differ;
    for (size_t i = 0; i < entry->lanes.count; i++) {
        if (!begin_lane(pipeline, &entry->lanes.items[i]))
            return false;
    }
    return unknown_words_join(&pipeline->unknown_words, &entry->unknown_words) &&
           begin_names(pipeline, &entry->names);
}

static enum status begin_after(struct pipeline *pipeline, struct error *err)
{
    const struct pass_shard *shard = &pipeline->options->shard;
    struct beginning beginning = {
        .pipeline = pipeline,
        .entry = {.reader = {LINE_CONTEXT_START, {""}}},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < shard->before_count && status == STATUS_OK; i++)
        status = move_over(&beginning, i, err);
    if (status == STATUS_OK && beginning.entry.base.position != shard->from)
        status = error_set(err, STATUS_NOT_FOUND, "its pieces do not end where the next begin");
    // Repeats the messages about the shards before.
    const struct pass_observer again = {.self = &beginning, .note = say_note, .fault = say_fault};
    for (size_t i = 0; i < beginning.places.count && status == STATUS_OK; i++) {
        beginning.place = &beginning.places.items[i];
        messages_replay(&beginning.place->said, &again);
    }
    if (status == STATUS_OK && !begin_with(pipeline, &beginning.entry))
        status = no_memory(err);
    pass_entry_free(&beginning.entry);
    free(beginning.places.items);
    return status;
}

// --- What it leaves ------------------------------------------------------------------------------

static void note(void *self, const struct line_note_report *report)
{
    struct survey *survey = ((struct pipeline *)self)->survey;
    survey->lost_messages |= !message_log_note(&survey->messages, report);
}

static bool fault(void *self, const struct line_fault *report)
{
    const struct pipeline *pipeline = self;
    struct survey *survey = pipeline->survey;
    survey->lost_messages |= !message_log_fault(&survey->messages, report);
    if (pipeline->options->stop_at_fault)
        survey->obstacle = SURVEY_STOPPED;
    return true;
}

static void advanced(void *self, const struct source_chunk *chunk)
{
    const struct pass_observer *told = ((const struct pipeline *)self)->told;
    if (told->advanced)
        told->advanced(told->self, chunk);
}

static bool begin_survey(struct pipeline *pipeline)
{
    const struct pass_shard *shard = &pipeline->options->shard;
    pipeline->survey = calloc(1, sizeof *pipeline->survey);
    if (!pipeline->survey)
        return false;
    pipeline->survey->position = pipeline->base.position = shard->from;
    pipeline->told = pipeline->observer;
    pipeline->survey_observer = (struct pass_observer){
        .self = pipeline, .note = note, .fault = fault, .advanced = advanced};
    pipeline->observer = &pipeline->survey_observer;
    if (shard->from >= shard->end) { // the shard is empty
        pipeline->end = 0;
        pipeline->is_sealed = true;
    }
    return true;
}

enum status shard_begin(struct pipeline *pipeline, struct error *err)
{
    const struct pass_shard *shard = &pipeline->options->shard;
    if (!shard->end)
        return STATUS_OK;
    source_end_chunks_at(pipeline->source, shard->from, shard->end);
    if (!shard->survey && !shard->before_count)
        return STATUS_OK;
    if (!source_begin_at(pipeline->source, shard->from))
        return error_set(err, STATUS_NOT_FOUND,
                         "the trace is compressed, or consists of several files");
    if (!shard->survey)
        return begin_after(pipeline, err);
    return begin_survey(pipeline) ? STATUS_OK : no_memory(err);
}

void shard_free(struct pipeline *pipeline)
{
    if (pipeline->survey)
        survey_free(pipeline->survey);
    free(pipeline->survey);
}

bool shard_ends_with(const struct pipeline *pipeline, const struct source_chunk *chunk)
{
    return pipeline->survey && chunk->offset + chunk->size_bytes >= pipeline->options->shard.end;
}

void shard_note_chunk(struct pipeline *pipeline, const struct slot *slot)
{
    struct survey *survey = pipeline->survey;
    if (pipeline->result->chunks)
        return;
    survey->guess = slot->data->parsed.guess;
    if (slot->chunk.starts_in_line)
        survey->obstacle = SURVEY_IN_LINE;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->reader = survey->guess;
    pthread_mutex_unlock(&pipeline->lock);
}

bool shard_note_part(struct pipeline *pipeline, struct slot *slot, size_t part)
{
    struct survey *survey = pipeline->survey;
    const struct lane_part *from = &slot->data->parsed.parts.items[part];
    struct part_scan *scan = &slot->data->scans.items[part];
    if (!VEC_EXTEND(&survey->lanes, pipeline->result->lane_count))
        return false;
    struct lane_survey *lane = &survey->lanes.items[scan->lane];
    lane->has_aarch64_doubt |= from->records.readings_differ_in_aarch64 && !scan->before.has_root;
    if (from->marks.peak.mark != NO_MARK && from->marks.peak.time == NO_TIME)
        survey->obstacle = SURVEY_NO_TIME;
    scan->surveyed =
        survey_take_marks(survey, lane, &from->marks, scan->before.counted, slot->data->base.line,
                          slot->data->base.position - survey->position);
    return scan->surveyed != SIZE_MAX;
}

bool shard_note_scan(struct slot *slot, size_t part, const struct lane_state *start)
{
    struct part_scan *scan = &slot->data->scans.items[part];
    const struct marks *marks = &slot->data->parsed.parts.items[part].marks;
    return !scan->surveyed || survey_scan_rest(start, marks, scan->surveyed, &slot->chunk,
                                               &slot->data->base, &scan->result);
}

void shard_note_number(struct pipeline *pipeline, const struct slot *slot, size_t part)
{
    const struct part_scan *scan = &slot->data->scans.items[part];
    struct lane *lane = &pipeline->lanes[scan->lane];
    lane->has_surveyed_instruction |= scan->result.has_instruction;
    if (slot->data->parsed.parts.items[part].marks.instruction_count)
        lane->carry.branch = scan->result.carry.branch;
}

static bool take_names(struct survey *survey, const struct register_names *names)
{
    for (size_t i = 0; names && i < names->items.count; i++) {
        const struct named_register *item = &names->items.items[i];
        uint32_t number = register_names_add(&survey->names, item->name, strlen(item->name));
        if (number == NO_REGISTER_NAME)
            return false;
        survey->names.items.items[number].size_bytes = item->size_bytes;
        survey->names.items.items[number].write_count = item->write_count;
    }
    return true;
}

// Stores the hashes of the shards of the trace whose middles are in this shard.
static bool take_hashes(struct survey *survey, const struct pipeline *pipeline)
{
    const uint64_t *hashes = pipeline->options->block_hashes;
    uint64_t count = hashes ? fingerprint_block_count(source_size_bytes(pipeline->source)) : 0;
    uint64_t first = 0, end = count;
    while (first < count && !hashes[first])
        first++;
    while (end > first && !hashes[end - 1])
        end--;
    survey->first_hash = first;
    if (!VEC_ROOM(&survey->hashes, (size_t)(end - first) + 1))
        return false;
    for (; first < end; first++)
        survey->hashes.items[survey->hashes.count++] = hashes[first];
    return true;
}

static void take_lane(const struct pipeline *pipeline, size_t at, struct lane_survey *to)
{
    const struct lane *lane = &pipeline->lanes[at];
    const struct lane_result *result = &pipeline->result->lanes[at];
    memcpy(to->name.text, result->name, sizeof to->name.text);
    to->state = lane->state;
    to->carry = lane->carry;
    to->vector_bytes = lane->vector_bytes;
    to->has_instruction = lane->has_surveyed_instruction;
    to->node_count = lane->node_count;
    to->last_event = lane->last_event;
    to->event_count = result->events;
    to->instructions_in_all = result->instructions;
    to->has_aarch64 = result->has_aarch64;
}

// Of all lanes to a scalable vector: all that surveys tell of its length.
static uint32_t widest_write(const struct pipeline *pipeline)
{
    uint32_t widest = 0;
    for (size_t i = 0; i < pipeline->result->lane_count; i++)
        widest = (uint32_t)u64_max(widest, pipeline->lanes[i].vector_bytes);
    return widest;
}

bool shard_end(struct pipeline *pipeline)
{
    struct survey *survey = pipeline->survey;
    const struct pass_result *result = pipeline->result;
    const struct register_names *names = pipeline->options->segments.names;
    if (result->lines_of_refused_lanes || (names && names->refused_writes))
        survey->obstacle = SURVEY_LIMITS;
    if (pass_carries(pipeline))
        survey->obstacle = SURVEY_TWO_STACKS;
    if (names && names->vector_bytes > widest_write(pipeline))
        survey->obstacle = SURVEY_VECTORS;
    survey->size_bytes = result->bytes;
    survey->line_count = result->lines;
    survey->event_count = pipeline->events;
    survey->first_event_line = pipeline->first_event_line;
    survey->damaged_lines = result->damaged_lines;
    survey->damaged_bytes = result->damaged_bytes;
    survey->unknown_events = result->unknown_events;
    survey->doubts = result->doubts;
    survey->readings_differ = result->readings_differ;
    survey->end = pipeline->reader;
    if (!VEC_EXTEND(&survey->lanes, result->lane_count))
        return false;
    for (size_t i = 0; i < result->lane_count; i++)
        take_lane(pipeline, i, &survey->lanes.items[i]);
    return !survey->lost_messages && take_names(survey, names) && take_hashes(survey, pipeline) &&
           unknown_words_join(&survey->unknown_words, &pipeline->unknown_words) &&
           survey_pack(survey, pipeline->options->shard.survey);
}
