// The stitch: chunks in order, one worker at a time, one step a chunk. Checks the guess from which
// a chunk was parsed, passes each of its lanes the state before it, and reports notes and damage.
#include "trace/lines/running_pass.h"

#include "trace/lines/parse.h"
#include "trace/lines/shard.h"
#include "trace/lines/survey.h"

#include <stdlib.h>

static void report_note(struct pipeline *pipeline, const struct slot *slot,
                        const struct parsed_note *note)
{
    if (!pass_is_new_note(pipeline, note->hash) || !pipeline->observer->note)
        return;
    uint64_t line = slot->data->base.line + note->line + 1;
    struct line_note_report report = {
        .line = line,
        .offset = slot->data->base.position + note->position,
        .is_first_event = !pipeline->first_event_line || line <= pipeline->first_event_line,
        .note = note->note,
        .subject = note->subject,
        .subject_length = note->subject_length,
        .chunk = &slot->chunk,
    };
    pipeline->observer->note(pipeline->observer->self, &report);
}

// False: the observer stops here.
static bool report_fault(struct pipeline *pipeline, const struct slot *slot,
                         const struct parsed_fault *fault)
{
    const struct parsed_chunk *parsed = &slot->data->parsed;
    uint64_t line = slot->data->base.line + fault->line + 1;
    uint64_t first_event = pipeline->first_event_line;
    bool has_events = first_event && first_event < line;
    struct line_fault report = {
        .line = line,
        .offset = slot->data->base.position + fault->position,
        .has_events = has_events,
        .header_lines = has_events ? first_event - 1 : 0,
        .is_partial = parsed->ends_partial && fault->line + 1 == parsed->line_count,
        .is_kept = fault->is_kept,
        .fault = fault->fault,
        .text = fault->text,
        .length = fault->length,
        .chunk = &slot->chunk,
    };
    return !pipeline->observer->fault ||
           pipeline->observer->fault(pipeline->observer->self, &report);
}

// Reports notes and faults of the chunk, in the order of their lines. False: stop after this chunk.
static bool report_lines(struct pipeline *pipeline, const struct slot *slot)
{
    const struct parsed_chunk *parsed = &slot->data->parsed;
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

#define NO_ROOM SIZE_MAX

// The lane with that name, added if it is new. LIMIT_LANES: there are too many; NO_ROOM: no memory.
static size_t find_lane(struct pipeline *pipeline, const struct lane_name *name)
{
    const struct segment_consumer *segments = &pipeline->options->segments;
    struct pass_result *result = pipeline->result;
    const struct lane_items items = {result->lanes, sizeof *result->lanes, result->lane_count};
    size_t found = lane_table_find(&pipeline->lane_table, &items, name->text, strlen(name->text));
    if (found != SIZE_MAX)
        return found;
    if (result->lane_count == LIMIT_LANES)
        return LIMIT_LANES;
    if (!stable_table_room(&pipeline->lane_room, result->lane_count + 1) ||
        !stable_table_room(&pipeline->result_room, result->lane_count + 1))
        return NO_ROOM;
    memcpy(result->lanes[result->lane_count].name, name->text, sizeof name->text);
    pipeline->lanes[result->lane_count].state = LANE_STATE_START;
    pipeline->lanes[result->lane_count].carry =
        pipeline->survey ? survey_carry_start() : LANE_CARRY_START;
    pipeline->lanes[result->lane_count].last_event = NO_EVENT;
    pipeline->lanes[result->lane_count].instruction_time = 0;
    pipeline->lanes[result->lane_count].vector_bytes = 0;
    if (segments->found_lane)
        segments->found_lane(segments->self, result->lane_count, name->text);
    return result->lane_count++;
}

static bool scan_room(struct slot *slot)
{
    if (slot->data->scan_count < slot->data->scans.count)
        return true;
    if (!VEC_ROOM(&slot->data->scans, 1))
        return false;
    slot->data->scans.items[slot->data->scans.count++] = (struct part_scan){0};
    return true;
}

// Adds a note about the first name beyond the limit, among the notes of the chunk in the order of
// lines. False: no memory.
static bool note_refused_name(struct parsed_chunk *parsed, const struct named_register *item)
{
    enum { HASH_OF_ALL = 1 }; // so that it is reported once
    if (!VEC_ROOM(&parsed->notes, 1))
        return false;
    size_t at = parsed->notes.count++;
    for (; at > 0 && parsed->notes.items[at - 1].line > item->line; at--)
        parsed->notes.items[at] = parsed->notes.items[at - 1];
    parsed->notes.items[at] = (struct parsed_note){.line = item->line,
                                                   .position = item->position,
                                                   .note = NOTE_TOO_MANY_REGISTERS,
                                                   .hash = HASH_OF_ALL,
                                                   .subject = item->name,
                                                   .subject_length = strlen(item->name)};
    return true;
}

// Finds the numbers in the trace of the chunk's registers. False: no memory.
static bool stitch_names(struct pipeline *pipeline, const struct slot *slot)
{
    const struct segment_consumer *segments = &pipeline->options->segments;
    struct register_names *all = segments->names;
    struct parsed_chunk *parsed = &slot->data->parsed;
    struct register_names *names = &parsed->names.names;
    const struct named_register *refused = NULL;
    for (size_t i = 0; i < names->items.count; i++) {
        struct named_register *item = &names->items.items[i];
        size_t length = strlen(item->name);
        uint32_t number = register_names_find(all, item->name, length);
        if (number == NO_REGISTER_NAME && all->items.count == LIMIT_NAMED_REGISTERS) {
            refused = refused ? refused : item;
            all->refused_writes += item->write_count;
            continue;
        }
        if (number == NO_REGISTER_NAME) {
            if ((number = register_names_add(all, item->name, length)) == NO_REGISTER_NAME)
                return false;
            if (pipeline->carried && pipeline->options->how.reading == READING_TRUE)
                pipeline->language->carry->name(pipeline->carried, number, item->name);
            if (segments->found_name)
                segments->found_name(segments->self, number, item->name);
        }
        struct named_register *known = &all->items.items[number];
        known->size_bytes = (uint32_t)u64_max(known->size_bytes, item->size_bytes);
        known->write_count += item->write_count;
        item->number = number;
    }
    if (!names->items.count)
        return true;
    all->refused_writes += names->refused_writes;
    if (!refused && names->refused_writes)
        refused = &parsed->names.first_refused;
    return !refused || note_refused_name(parsed, refused);
}

// Notes where the times of instructions go back.
static void note_falls(struct pipeline *pipeline, const struct slot *slot, size_t lane,
                       const struct lane_part *part)
{
    const struct marks *marks = &part->marks;
    uint64_t *last_time = &pipeline->lanes[lane].instruction_time;
    struct doubt falls = {marks->fall_count, slot->data->base.line + marks->first_fall_line + 1};
    if (marks->last_instruction == NO_MARK || pipeline->language->counts_instructions)
        return;
    const struct mark *first = &marks->items[part->summary.first_instruction];
    if (first->time < *last_time)
        falls = (struct doubt){falls.count + 1, slot->data->base.line + first->line + 1};
    *last_time = marks->items[marks->last_instruction].time;
    doubt_join(&pipeline->result->doubts.of[DOUBT_TIMES_BACK], &falls);
    // READING_TRUE may see that a counter wrapped.
    pipeline->result->readings_differ |=
        falls.count && pipeline->options->how.reading == READING_TTU;
}

static const struct scan_options keep_nothing = {.drop_transfers = true};

// Passes the state before the chunk to each part, and advances the lanes over the chunk.
static bool stitch_lanes(struct pipeline *pipeline, struct slot *slot)
{
    slot->data->scan_count = 0;
    for (size_t i = 0; i < slot->data->parsed.part_count; i++) {
        struct lane_part *part = &slot->data->parsed.parts.items[i];
        size_t lane = find_lane(pipeline, &part->name);
        if (lane == NO_ROOM || !scan_room(slot))
            return false;
        struct part_scan *scan = &slot->data->scans.items[slot->data->scan_count++];
        scan->lane = lane;
        if (lane == LIMIT_LANES) {
            slot->data->parsed.lines_of_refused_lanes += part->line_count;
            continue;
        }
        note_falls(pipeline, slot, lane, part);
        struct lane_running **running = &pipeline->lanes[lane].programs;
        if (UNLIKELY(pipeline->options->programs != NULL)) {
            if (!*running && !(*running = calloc(1, sizeof **running)))
                return false;
            lane_programs_settle(&part->programs, &part->marks, &slot->chunk,
                                 pipeline->options->programs, part->name.text, *running,
                                 pipeline->result->programs_at_home);
        }
        struct lane_state *state = &pipeline->lanes[lane].state;
        scan->before = scan->state = *state;
        uint32_t *vector_bytes = &pipeline->lanes[lane].vector_bytes;
        scan->vector_bytes = *vector_bytes;
        *vector_bytes = (uint32_t)u64_max(*vector_bytes, part->records.vector_bytes);
        bool has_z = *vector_bytes > REGISTER_BYTES_V;
        struct register_names *names = pipeline->options->segments.names;
        if (UNLIKELY(part->records.seen_vector_bytes) && names)
            names->vector_bytes =
                (uint32_t)u64_max(names->vector_bytes, part->records.seen_vector_bytes);
        pipeline->result->readings_differ |= has_z;
        scan->clears_z = has_z && pipeline->options->how.reading == READING_TRUE;
        if (UNLIKELY(pipeline->survey != NULL) && !shard_note_part(pipeline, slot, i))
            return false;
        if (lane_state_can_resolve(state, &part->marks))
            lane_state_resolve(state, &part->marks, &part->summary, &slot->data->base);
        else if (!scan_marks(state, &part->marks, NULL, &slot->data->base, &keep_nothing,
                             &scan->result))
            return false;
        if (pipeline->language->counts_instructions)
            state->counted += part->marks.instruction_count + part->marks.repeats;
        pipeline->result->lanes[lane].events += part->marks.event_count;
        pipeline->result->lanes[lane].instructions += part->marks.instruction_count;
        pipeline->result->lanes[lane].has_aarch64 |= part->marks.has_aarch64;
    }
    return true;
}

// Called after stitch_lanes, which finds the state of each lane.
static void note_readings(struct pipeline *pipeline, const struct slot *slot)
{
    const struct parsed_chunk *parsed = &slot->data->parsed;
    bool differ = parsed->readings_differ || parsed->fault_count > 0 ||
                  pipeline->result->lane_count > 1 || pipeline->reader.context.wraps;
    for (size_t i = 0; i < parsed->part_count; i++) {
        const struct records *records = &parsed->parts.items[i].records;
        differ |= records->readings_differ ||
                  (records->readings_differ_in_aarch64 &&
                   lane_state_is_aarch64(&slot->data->scans.items[i].before)) ||
                  records_miss_bank(records, mode_bank(slot->data->scans.items[i].before.mode));
    }
    pipeline->result->readings_differ |= differ;
}

static void count_chunk(struct pipeline *pipeline, const struct slot *slot)
{
    const struct parsed_chunk *parsed = &slot->data->parsed;
    pipeline->result->damaged_lines += parsed->fault_count + parsed->lines_of_refused_lanes;
    pipeline->result->damaged_bytes += parsed->fault_bytes;
    pipeline->result->unknown_events += parsed->unknown_events;
    doubts_join(&pipeline->result->doubts, &parsed->doubts, slot->data->base.line);
    pipeline->result->lines_of_refused_lanes += parsed->lines_of_refused_lanes;
    pipeline->result->lines += parsed->line_count;
    pipeline->result->bytes += slot->chunk.size_bytes;
    pipeline->result->chunks++;
    pipeline->base.line += parsed->line_count;
    pipeline->base.position += slot->chunk.size_bytes;
}

// For a chunk that alone has more lanes, or names of registers, than allowed: which of them are
// refused depends on those that occurred before.
static NEVER_INLINE bool parse_with_known(struct pipeline *pipeline, struct slot *slot)
{
    const struct pass_result *result = pipeline->result;
    const struct lane_list lanes = {{result->lanes, sizeof *result->lanes, result->lane_count},
                                    &pipeline->lane_table};
    const struct known_before known = {&lanes, pipeline->options->segments.names};
    pipeline->result->chunks_parsed_again++;
    return parse_chunk(&slot->data->parsed, &slot->chunk, &pipeline->parse_options,
                       &pipeline->reader, &known);
}

// Whether the pass ends, to begin again in the finest unit of the chunk's times. Not when it is
// about to end anyway: then only the rest of a line is left, and this may be a forked process.
static NEVER_INLINE bool ends_at_finer_times(struct pipeline *pipeline,
                                             const struct parsed_chunk *parsed)
{
    if (pipeline->options->shard.end) { // other shards are read without knowing this one
        pass_fail(pipeline, STATUS_INPUT,
                  "there are times in a finer unit than in the first lines, so the trace can only "
                  "be indexed as a whole");
        return true;
    }
    if (!pipeline->finer || pipeline->is_ending || source_is_cut_short(pipeline->source))
        return false;
    *pipeline->finer = parsed->finest_exponent;
    pass_fail(pipeline, STATUS_STOPPED, "a time is finer than the unit of the trace");
    return true;
}

// False: the pass ends after this chunk, or there is no memory.
static bool stitch_chunk(struct pipeline *pipeline, struct slot *slot, bool *has_memory)
{
    struct parsed_chunk *parsed = &slot->data->parsed;
    *has_memory = true;
    if (UNLIKELY(pipeline->survey != NULL))
        shard_note_chunk(pipeline, slot);
    if (!reader_state_equal(&parsed->guess, &pipeline->reader)) {
        pipeline->result->chunks_parsed_again++;
        if (!(*has_memory = parse_chunk(parsed, &slot->chunk, &pipeline->parse_options,
                                        &pipeline->reader, NULL)))
            return false;
    }
    if (UNLIKELY(parsed->has_finer) && ends_at_finer_times(pipeline, parsed))
        return true;
    if (UNLIKELY(parsed->has_refused_lanes || parsed->names.is_cut) &&
        !(*has_memory = parse_with_known(pipeline, slot)))
        return false;
    pthread_mutex_lock(&pipeline->lock); // others use it for their guesses
    pipeline->reader = parsed->end;
    pass_keep_templates(pipeline, slot->data);
    pthread_mutex_unlock(&pipeline->lock);
    slot->data->base = pipeline->base;
    if (!pipeline->first_event_line && parsed->first_event_line != UINT32_MAX) {
        pipeline->result->header_lines = slot->data->base.line + parsed->first_event_line;
        pipeline->first_event_line = pipeline->result->header_lines + 1;
    }
    if (!(*has_memory = stitch_lanes(pipeline, slot) && stitch_names(pipeline, slot)))
        return false;
    bool go_on = report_lines(pipeline, slot);
    count_chunk(pipeline, slot);
    *has_memory = unknown_words_join(&pipeline->unknown_words, &parsed->unknown_words);
    note_readings(pipeline, slot);
    if (go_on && pipeline->observer->advanced)
        pipeline->observer->advanced(pipeline->observer->self, &slot->chunk);
    return go_on;
}

void stitch_ready(struct pipeline *pipeline)
{
    while (!pipeline->is_stitching && pipeline->status == STATUS_OK &&
           pipeline->next_stitched < pipeline->end &&
           pipeline->next_stitched < pipeline->next_taken &&
           slot_at(pipeline, pipeline->next_stitched)->state == SLOT_PARSED) {
        struct slot *slot = slot_at(pipeline, pipeline->next_stitched);
        uint64_t start_ns = monotonic_ns();
        bool has_memory = true;
        pipeline->is_stitching = true;
        pthread_mutex_unlock(&pipeline->lock);
        bool is_intact = source_seems_intact(pipeline->source);
        bool go_on = is_intact && stitch_chunk(pipeline, slot, &has_memory);
        pass_add_time(pipeline, STAGE_STITCH, start_ns);
        if (!is_intact)
            pass_fail(pipeline, STATUS_INPUT, "the trace was changed while it was read");
        else if (!has_memory)
            pass_fail(pipeline, STATUS_MEMORY, "no memory for the events of a chunk");
        pthread_mutex_lock(&pipeline->lock);
        pipeline->is_stitching = false;
        if (is_intact && has_memory && !go_on) {
            pipeline->end = pipeline->next_stitched + 1;
            pipeline->is_pausing = false;
            pipeline->result->stopped_at_fault = true;
        }
        slot->state = SLOT_STITCHED;
        pipeline->next_stitched++;
        pthread_cond_broadcast(&pipeline->changed);
    }
}
