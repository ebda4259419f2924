#include "pipeline/parse.h"

#include "pipeline/lane_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

bool reader_state_equal(const struct reader_state *a, const struct reader_state *b)
{
    return a->context.time == b->context.time &&
           a->context.address_column == b->context.address_column &&
           (a->context.address_column == TARMAC_NO_COLUMN ||
            a->context.address_is_read == b->context.address_is_read) &&
           strcmp(a->lane.text, b->lane.text) == 0;
}

static void lane_name_set(struct lane_name *name, const char *text, size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    *name = (struct lane_name){0};
    memcpy(name->text, text, length);
}

static bool lane_name_is(const struct lane_name *name, const char *text, size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    return memcmp(name->text, text, length) == 0 && name->text[length] == 0;
}

struct reader_state parse_guess(const struct source_chunk *chunk,
                                const struct parse_options *options,
                                const struct reader_state *known)
{
    struct reader_state state = *known;
    const char *at = chunk->data - chunk->run_in_bytes, *end = chunk->data;
    if (chunk->run_in_bytes < chunk->offset) { // it begins inside some line
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    } else {
        state = (struct reader_state){TARMAC_CONTEXT_START, {""}};
    }
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        struct tarmac_line line;
        struct tarmac_fault fault;
        bool is_read = tarmac_line_read(at, tarmac_line_trim(at, line_end), &options->tarmac,
                                        &state.context, &line, &fault);
        if ((is_read || line.looks_like_instruction) && line.cpu && options->split_lanes)
            lane_name_set(&state.lane, line.cpu, line.cpu_length);
        at = line_end + 1;
    }
    return state;
}

// Whether a lane that the chunk did not have yet is one too many for the trace.
static bool is_refused(struct parsed_chunk *parsed, const char *name, size_t length)
{
    const struct lane_list *known = parsed->known_lanes;
    for (size_t i = 0; known && i < known->count; i++) {
        if (lane_name_is(&known->names[i], name, length))
            return false;
    }
    if (parsed->new_lane_count + (known ? known->count : 0) == LIMIT_LANES)
        return true;
    parsed->new_lane_count++;
    return false;
}

// The part of a lane, made if it is not there. NULL without memory or beyond LIMIT_LANES.
static struct lane_part *find_part(struct parsed_chunk *parsed, const char *name, size_t length)
{
    for (size_t i = 0; i < parsed->part_count; i++) {
        if (lane_name_is(&parsed->parts.items[i].name, name, length)) {
            parsed->current_part = i;
            return &parsed->parts.items[i];
        }
    }
    if (is_refused(parsed, name, length)) {
        parsed->has_refused_lanes = true;
        return NULL;
    }
    if (parsed->part_count == parsed->parts.count) {
        if (!VEC_ROOM(&parsed->parts, 1)) {
            parsed->has_no_memory = true;
            return NULL;
        }
        parsed->parts.items[parsed->parts.count++] = (struct lane_part){0};
    }
    parsed->current_part = parsed->part_count++;
    struct lane_part *part = &parsed->parts.items[parsed->current_part];
    lane_name_set(&part->name, name, length);
    part->line_count = 0;
    marks_reset(&part->marks);
    records_reset(&part->records);
    return part;
}

static NEVER_INLINE bool add_note(struct parsed_chunk *parsed, const struct tarmac_line *line,
                                  uint32_t position)
{
    size_t length = token_length(&line->note_subject);
    uint64_t hash = XXH3_64bits_withSeed(line->note_subject.start, length, line->note);
    bool is_new = false;
    if (parsed->notes_seen.count < LIMIT_NOTES && !hashset_add(&parsed->notes_seen, hash, &is_new))
        return false;
    if (!is_new)
        return true;
    if (!VEC_ROOM(&parsed->notes, 1))
        return false;
    parsed->notes.items[parsed->notes.count++] = (struct parsed_note){
        parsed->line_count, position, line->note, hash, line->note_subject.start, length};
    return true;
}

static NEVER_INLINE bool add_fault(struct parsed_chunk *parsed, const struct tarmac_fault *fault,
                                   const char *text, size_t length, uint32_t position)
{
    if (parsed->fault_count++ >= LIMIT_DAMAGE_KEPT)
        return true;
    if (!VEC_ROOM(&parsed->faults, 1))
        return false;
    parsed->faults.items[parsed->faults.count++] =
        (struct parsed_fault){parsed->line_count, position, *fault, text, length};
    return true;
}

static struct lane_part *part_of_line(struct parsed_chunk *parsed, const struct tarmac_line *line,
                                      const struct parse_options *options)
{
    if (LIKELY(!line->cpu) || !options->split_lanes) {
        parsed->readings_differ |= line->cpu != NULL; // which keeps cores apart
        if (LIKELY(parsed->current_part < parsed->part_count))
            return &parsed->parts.items[parsed->current_part];
        return find_part(parsed, parsed->end.lane.text, strlen(parsed->end.lane.text));
    }
    if (parsed->current_part < parsed->part_count) {
        struct lane_part *part = &parsed->parts.items[parsed->current_part];
        if (lane_name_is(&part->name, line->cpu, line->cpu_length))
            return part;
    }
    lane_name_set(&parsed->end.lane, line->cpu, line->cpu_length);
    parsed->current_part = SIZE_MAX;
    return find_part(parsed, line->cpu, line->cpu_length);
}

// A line that could not be read: kept as damage, and as a gap in the flow if it was an instruction.
static bool take_fault(struct parsed_chunk *parsed, const struct tarmac_line *line,
                       const struct tarmac_fault *fault, const struct parse_options *options,
                       const char *text, size_t length, uint32_t position)
{
    parsed->fault_bytes += length;
    bool has_note = line->note != NOTE_NONE; // what was read of the line may give one
    if ((has_note && !add_note(parsed, line, position)) ||
        !add_fault(parsed, fault, text, length, position))
        return false;
    parsed->is_stopped = options->stop_at_fault;
    if (!line->looks_like_instruction)
        return true;
    struct lane_part *part = part_of_line(parsed, line, options);
    return part ? marks_add_gap(&part->marks, parsed->line_count, position)
                : !parsed->has_no_memory;
}

static bool keep_records(struct lane_part *part, const struct tarmac_line *line,
                         uint32_t line_number, const struct parse_options *options)
{
    const struct record_options how = {options->tarmac.reading, options->big_endian};
    uint32_t last = part->marks.last_instruction;
    enum flow_state flow = last == NO_MARK                        ? FLOW_UNKNOWN
                           : part->marks.isa[last] == ISA_AARCH64 ? FLOW_AARCH64
                                                                  : FLOW_AARCH32;
    return records_add_line(&part->records, line, line_number, flow, &how);
}

// Adds the line [start, end), which could be read, to the part of its lane.
static ALWAYS_INLINE bool keep_line(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                                    const struct parse_options *options,
                                    const struct tarmac_line *line, const char *start,
                                    const char *end)
{
    uint32_t position = (uint32_t)(start - chunk->data);
    struct lane_part *part = part_of_line(parsed, line, options);
    if (UNLIKELY(!part)) {
        parsed->lines_of_refused_lanes++;
        return !parsed->has_no_memory;
    }
    part->line_count++;
    parsed->readings_differ |= line->readings_differ;
    uint64_t events = part->marks.event_count;
    if (!marks_add_line(&part->marks, line, parsed->line_count, position) ||
        (options->keep_records && !keep_records(part, line, parsed->line_count, options)) ||
        (options->keep_instructions && line->kind == LINE_INSTRUCTION &&
         !records_add_instruction(&part->records, line, parsed->line_count, chunk->data, start,
                                  end)))
        return false;
    if (UNLIKELY(parsed->first_event_line == UINT32_MAX) && part->marks.event_count > events &&
        line->time != NO_TIME)
        parsed->first_event_line = parsed->line_count;
    return true;
}

// Takes the lines from *at on while they are of known shapes, and leaves *at at the first that is
// not.
static bool take_shaped_lines(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                              const struct parse_options *options, const char **at, const char *end)
{
    const char *start = *at;
    while (end - start >= TARMAC_SHAPE_MARGIN_BYTES) {
        const struct tarmac_shape *shape =
            tarmac_shapes_find(parsed->shapes, start, &parsed->end.context);
        if (!shape)
            break;
        const char *behind = start + shape->line_bytes, *text_end = start + shape->text_bytes;
        if (!shape->line_bytes) {
            const char *from = start + shape->compared_bytes;
            const char *newline = memchr(from, '\n', (size_t)(end - from));
            if (UNLIKELY(!newline || (uint64_t)(newline - start) > LIMIT_LINE_BYTES))
                break;
            text_end = tarmac_line_trim(start, newline);
            behind = newline + 1;
        }
        struct tarmac_line line;
        tarmac_shape_read(shape, start, &parsed->end.context, &line);
        if (!keep_line(parsed, chunk, options, &line, start, text_end))
            return false;
        parsed->line_count++;
        start = behind;
    }
    *at = start;
    return true;
}

// Takes one line of any kind. `newline` is its end in the chunk, or NULL.
static bool take_line(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                      const struct parse_options *options, const char *start, const char *end,
                      const char *newline)
{
    struct tarmac_line line;
    struct tarmac_layout layout;
    struct tarmac_fault fault;
    struct tarmac_context context = parsed->end.context;
    uint32_t position = (uint32_t)(start - chunk->data);
    end = tarmac_line_trim(start, end);
    if (UNLIKELY(!tarmac_line_study(start, end, &options->tarmac, &parsed->end.context, &line,
                                    &fault, &layout)))
        return take_fault(parsed, &line, &fault, options, start, (size_t)(end - start), position);
    if (UNLIKELY(line.note != NOTE_NONE) && !add_note(parsed, &line, position))
        return false;
    tarmac_shapes_learn(parsed->shapes, start, newline, &context, &line, &layout);
    return keep_line(parsed, chunk, options, &line, start, end);
}

static NEVER_INLINE bool take_overlong(struct parsed_chunk *parsed,
                                       const struct parse_options *options, const char *start,
                                       const char *end, const struct source_chunk *chunk)
{
    struct tarmac_fault fault = {.column = 0, .length = 1};
    struct tarmac_line line = {.looks_like_instruction = true};
    snprintf(fault.text, sizeof fault.text, "line is longer than %llu bytes",
             (unsigned long long)LIMIT_LINE_BYTES);
    return take_fault(parsed, &line, &fault, options, start, (size_t)(end - start),
                      (uint32_t)(start - chunk->data));
}

static void begin_chunk(struct parsed_chunk *parsed, const struct reader_state *guess,
                        const struct lane_list *known)
{
    parsed->guess = parsed->end = *guess;
    parsed->known_lanes = known;
    parsed->part_count = parsed->new_lane_count = 0;
    parsed->current_part = SIZE_MAX;
    parsed->line_count = 0;
    parsed->first_event_line = UINT32_MAX;
    parsed->notes.count = parsed->faults.count = 0;
    parsed->fault_count = parsed->fault_bytes = parsed->lines_of_refused_lanes = 0;
    parsed->is_stopped = parsed->ends_partial = parsed->readings_differ = false;
    parsed->has_refused_lanes = parsed->has_no_memory = false;
    hashset_clear(&parsed->notes_seen);
}

bool parse_chunk(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct lane_list *known)
{
    if (!parsed->shapes && !(parsed->shapes = calloc(1, sizeof *parsed->shapes)))
        return false;
    tarmac_shapes_rest(parsed->shapes);
    begin_chunk(parsed, guess, known);
    const char *at = chunk->data, *end = at + chunk->size_bytes;
    if (chunk->starts_in_line) { // of which its first part was reported
        const char *newline = memchr(at, '\n', chunk->size_bytes);
        parsed->line_count = newline || chunk->is_last;
        parsed->fault_bytes = newline ? (uint64_t)(newline - at) : chunk->size_bytes;
        at = newline ? newline + 1 : end;
    }
    while (at < end && !parsed->is_stopped) {
        if (!take_shaped_lines(parsed, chunk, options, &at, end))
            return false;
        if (at == end)
            break;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        bool is_overlong = (uint64_t)(line_end - at) > LIMIT_LINE_BYTES;
        // Where a line that is too long ends is not known when its first part is reported.
        parsed->ends_partial = !newline && chunk->is_last && !is_overlong;
        if (!(UNLIKELY(is_overlong) ? take_overlong(parsed, options, at, line_end, chunk)
                                    : take_line(parsed, chunk, options, at, line_end, newline)))
            return false;
        // A line that goes on in the next chunk is counted there, where it ends.
        parsed->line_count += newline || chunk->is_last;
        at = line_end + 1;
    }
    for (size_t i = 0; i < parsed->part_count; i++)
        marks_summarize(&parsed->parts.items[i].marks, &parsed->parts.items[i].summary);
    parsed->known_lanes = NULL;
    return true;
}

void parsed_chunk_free(struct parsed_chunk *parsed)
{
    for (size_t i = 0; i < parsed->parts.count; i++) {
        marks_free(&parsed->parts.items[i].marks);
        records_free(&parsed->parts.items[i].records);
    }
    free(parsed->parts.items);
    free(parsed->shapes);
    free(parsed->notes.items);
    free(parsed->faults.items);
    hashset_free(&parsed->notes_seen);
    *parsed = (struct parsed_chunk){0};
}
