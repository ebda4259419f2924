#include "trace/lines/parse.h"

#include "base/line_ends.h"
#include "base/spool.h"
#include "trace/lines/record_line.h"
#include "trace/lines/template_lines.h"
#include "trace/lines/whole_line.h"

#include <stdio.h>

bool reader_state_equal(const struct reader_state *a, const struct reader_state *b)
{
    return a->context.time == b->context.time && a->context.wraps == b->context.wraps &&
           a->context.address_column == b->context.address_column &&
           (a->context.address_column == LINE_NO_COLUMN ||
            a->context.address_is_read == b->context.address_is_read) &&
           strcmp(a->lane.text, b->lane.text) == 0;
}

struct reader_state parse_guess(const struct source_chunk *chunk,
                                const struct parse_options *options,
                                const struct reader_state *known)
{
    struct reader_state state = *known;
    const char *at = chunk->data - chunk->run_in_bytes, *end = chunk->data;
    if (chunk->run_in_bytes < chunk->offset) { // it begins inside a line
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    } else {
        state = (struct reader_state){LINE_CONTEXT_START, {""}};
    }
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        struct trace_line line;
        struct line_columns columns;
        struct text_fault fault;
        bool is_read = options->language->study(at, line_trim(at, line_end), &options->how,
                                                &state.context, &line, &fault, &columns);
        if ((is_read || line.looks_like_instruction) && line.cpu && options->split_lanes)
            lane_name_set(&state.lane, options->language->lane_prefix, line.cpu, line.cpu_length);
        if (is_read && columns.goes_on) // nothing in the rest is passed on
            state.context.address_column = LINE_NO_COLUMN;
        at = line_end + 1;
    }
    return state;
}

static NEVER_INLINE bool add_note(struct parsed_chunk *parsed, const struct trace_line *line,
                                  uint32_t position)
{
    size_t length = token_length(&line->note_subject);
    uint64_t hash = parsed_note_hash(line->note, line->note_subject.start, length);
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

// Counts the first word of a line that is not understood.
static bool add_unknown_word(struct parsed_chunk *parsed, const struct trace_line *line)
{
    const struct token *type = &line->note_subject;
    struct text_span word =
        line->unknown_word.start ? line->unknown_word : (struct text_span){type->start, type->end};
    return line->note != NOTE_UNKNOWN_EVENT || word.start == word.end ||
           unknown_words_add(&parsed->unknown_words, word.start, (size_t)(word.end - word.start),
                             1);
}

// Records what is reported about a line besides its event.
static bool take_note(struct parsed_chunk *parsed, const struct trace_line *line, uint32_t position)
{
    return add_note(parsed, line, position) && add_unknown_word(parsed, line);
}

static NEVER_INLINE bool add_fault(struct parsed_chunk *parsed, const struct text_fault *fault,
                                   const char *text, size_t length, uint32_t position)
{
    if (parsed->fault_count++ >= LIMIT_DAMAGE_KEPT)
        return true;
    if (!VEC_ROOM(&parsed->faults, 1))
        return false;
    parsed->faults.items[parsed->faults.count++] =
        (struct parsed_fault){parsed->line_count, position, *fault, text, length, false};
    return true;
}

// Handles a line that could not be read: recorded as damage, and as a gap in the flow if it was an
// instruction.
static bool take_fault(struct parsed_chunk *parsed, const struct trace_line *line,
                       const struct text_fault *fault, const struct parse_options *options,
                       const char *text, size_t length, uint32_t position)
{
    parsed->fault_bytes += length;
    bool has_note = line->note != NOTE_NONE; // the part that was read may cause one
    if ((has_note && !take_note(parsed, line, position)) ||
        !add_fault(parsed, fault, text, length, position))
        return false;
    parsed->is_stopped = options->stop_at_fault;
    if (!line->looks_like_instruction)
        return true;
    struct lane_part *part =
        lane_part_of_line(parsed, lane_part_in_hand(parsed), line->cpu, line->cpu_length, options);
    return part ? marks_add_gap(&part->marks, parsed->line_count, position)
                : !parsed->has_no_memory;
}

static NEVER_INLINE void take_time_doubt(struct parsed_chunk *parsed, const struct trace_line *line,
                                         const struct parse_options *options)
{
    bool is_finer = line->time_doubt == TIME_IS_FINER;
    doubt_note(&parsed->doubts.of[is_finer ? DOUBT_TIMES_FINER : DOUBT_TIMES_MIXED],
               (uint64_t)parsed->line_count + 1);
    // One unit of the trace so far must not be more than 64 bits of the finer one.
    if (is_finer && power_of_ten(options->how.scale.unit.exponent - line->time_exponent) &&
        (!parsed->has_finer || line->time_exponent < parsed->finest_exponent)) {
        parsed->has_finer = true;
        parsed->finest_exponent = line->time_exponent;
    }
}

// Whether the last line, which has no end, is a register with fewer digits than it has: the rest
// may be missing. Sets the fault.
static bool is_cut(const struct trace_line *line, const char *end, const char *start,
                   struct text_fault *fault)
{
    if (line->kind != LINE_REGISTER || !line->reg.is_short)
        return false;
    *fault = (struct text_fault){.text = "expected register contents",
                                 .column = (uint32_t)(end - start)};
    return true;
}

// Reports the last line, which was truncated, as READING_TRUE does; READING_TTU has accepted it.
static bool tell_cut_line(struct parsed_chunk *parsed, const struct parse_options *options,
                          struct line_context context, const char *start, const char *end,
                          uint32_t position)
{
    struct reading_options right = options->how;
    struct trace_line line;
    struct line_columns layout;
    struct text_fault fault;
    right.reading = READING_TRUE;
    if (options->language->study(start, end, &right, &context, &line, &fault, &layout) &&
        !is_cut(&line, end, start, &fault))
        return true;
    if (!VEC_ROOM(&parsed->faults, 1))
        return false;
    parsed->faults.items[parsed->faults.count++] = (struct parsed_fault){
        parsed->line_count, position, fault, start, (size_t)(end - start), true};
    return true;
}

// Records what belongs to the last instruction of the chunk before: its time, which is not known
// here, is one less than that of the chunk's first instruction, and it begins no node.
static bool record_late_effect(struct parsed_chunk *parsed, struct lane_part *part,
                               const struct trace_line *line, const struct line_extent *place,
                               const struct parse_options *options)
{
    part->line_count++;
    if (UNLIKELY(parsed->first_event_line == UINT32_MAX))
        parsed->first_event_line = place->number;
    return marks_add_late(&part->marks, line, place->number,
                          (uint32_t)(place->start - place->chunk->data)) &&
           (!options->keep_records || keep_details(part, line, place, options));
}

// Handles one record of any kind. `end`: of its line, without the line end; `newline`: that in the
// chunk, or NULL. Sets *next to the next record of the line, if there is one.
static bool take_line(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                      const struct parse_options *options, const char *start, const char *end,
                      const char *newline, const char **next)
{
    struct trace_line line;
    struct line_columns layout;
    struct text_fault fault;
    struct line_context context = parsed->end.context;
    bool continues = context.address_column == LINE_GOES_ON;
    uint32_t position = (uint32_t)(start - chunk->data);
    if (UNLIKELY(!options->language->study(start, end, &options->how, &parsed->end.context, &line,
                                           &fault, &layout) ||
                 (parsed->ends_partial && is_cut(&line, end, start, &fault)))) {
        if (continues) { // the line is shown from its beginning
            const char *whole = line_start_at(chunk->data, start);
            fault.column += (uint32_t)(start - whole);
            position = (uint32_t)(whole - chunk->data);
            start = whole;
        }
        if (parsed->end.context.address_column == LINE_GOES_ON)
            parsed->end.context.address_column = LINE_NO_COLUMN;
        return take_fault(parsed, &line, &fault, options, start, (size_t)(end - start), position);
    }
    *next = layout.goes_on ? layout.read_end : NULL;
    if (UNLIKELY(line.note != NOTE_NONE) && !take_note(parsed, &line, position))
        return false;
    if (UNLIKELY(line.note == NOTE_UNKNOWN_EVENT)) {
        parsed->unknown_events++;
        parsed->readings_differ = true;
        if (options->how.reading == READING_TRUE)
            return true; // of no lane
    }
    if (UNLIKELY(parsed->ends_partial && line.kind == LINE_REGISTER))
        parsed->readings_differ = true; // about whether a short value is whole
    if (UNLIKELY(parsed->ends_partial && options->tells_cut_line) &&
        !tell_cut_line(parsed, options, context, start, end, position))
        return false;
    if (UNLIKELY(line.time_doubt != TIME_IS_SURE))
        take_time_doubt(parsed, &line, options);
    if (UNLIKELY(line.has_long_value))
        doubt_note(&parsed->doubts.of[DOUBT_VALUES_LONG], (uint64_t)parsed->line_count + 1);
    struct line_template *template =
        line_templates_learn(parsed->templates, start, newline, &context, &line, &layout);
    if (template) {
        template->is_only_time =
            marks_need_only_time(&line) &&
            !(options->task_key && key_line_may_show(&line, options->task_key));
        if (line.kind == LINE_REGISTER && !line.reg.spelled)
            template->part = records_part_of(&line.reg);
    }
    // A header is of no lane.
    if (options->language->has_several_records && line.kind == LINE_NOTHING && !line.cpu &&
        !lane_part_in_hand(parsed) && !*parsed->end.lane.text)
        return true;
    struct lane_part *part =
        lane_part_of_line(parsed, lane_part_in_hand(parsed), line.cpu, line.cpu_length, options);
    if (options->language
            ->counts_instructions) { // the time is that after the repeats that it tells
        if (part && part->marks.repeats < LIMIT_REPEATS)
            part->marks.repeats += line.repeats;
        line.time = part ? marks_counted(&part->marks, continues || layout.is_of_last) : 0;
    }
    const char *text_end = layout.goes_on ? layout.read_end : end;
    const struct line_extent place = {chunk, start, text_end, parsed->line_count};
    if (layout.is_of_last && options->language->counts_instructions && part && !continues &&
        !part->marks.instruction_count && line.kind != LINE_NOTHING)
        return record_late_effect(parsed, part, &line, &place, options);
    return record_line(parsed, part, &line, &place, options, options->keep_records);
}

static NEVER_INLINE bool take_overlong(struct parsed_chunk *parsed,
                                       const struct parse_options *options, const char *start,
                                       const char *end, const struct source_chunk *chunk)
{
    struct text_fault fault = {.column = 0, .length = 1};
    struct trace_line line = {.looks_like_instruction = true};
    if (parsed->end.context.address_column == LINE_GOES_ON)
        parsed->end.context.address_column = LINE_NO_COLUMN;
    snprintf(fault.text, sizeof fault.text, "line is longer than %llu bytes",
             (unsigned long long)LIMIT_LINE_BYTES);
    return take_fault(parsed, &line, &fault, options, start, (size_t)(end - start),
                      (uint32_t)(start - chunk->data));
}

// Makes room for what most traces leave per byte of text, before the first chunk: arrays that grow
// with it are copied several times, which was 9 % of the instructions that index a trace of 7 MB.
// Not under a limit of memory, which room that is not used counts against.
static void make_room(struct parsed_chunk *parsed, const struct parse_options *options,
                      size_t size_bytes)
{
    enum { BYTES_PER_MARK = 80, BYTES_PER_REGISTER = 96, BYTES_PER_ACCESS = 128 };
    if (memory_limit_bytes() != MEMORY_UNLIMITED || !VEC_ROOM(&parsed->parts, 1))
        return;
    struct lane_part *part = &parsed->parts.items[parsed->parts.count++];
    *part = (struct lane_part){0};
    (void)VEC_ROOM(&part->marks, size_bytes / BYTES_PER_MARK);
    if (options->keep_records) {
        (void)VEC_ROOM(&part->records.registers, size_bytes / BYTES_PER_REGISTER);
        (void)VEC_ROOM(&part->records.accesses, size_bytes / BYTES_PER_ACCESS);
    }
}

bool parse_begin(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known)
{
    if (!parsed->templates && !(parsed->templates = line_templates_new()))
        return false;
    if (options->language->has_several_records)
        parsed->templates->kept = LINE_TEMPLATES_MAX;
    if (options->language->first_record_end && !parsed->templates->whole_lines &&
        !(parsed->templates->whole_lines = whole_lines_new()))
        return false;
    line_templates_rest(parsed->templates);
    if (parsed->templates->whole_lines)
        parsed->templates->whole_lines->learned = 0;
    parsed->guess = parsed->end = *guess;
    parsed->known_lanes = known ? known->lanes : NULL;
    parsed->lane_prefix = options->language->lane_prefix;
    parsed->exception_returns = options->language->exception_returns;
    parsed->vector_bases = options->language->vector_bases;
    parsed->keeps_names = options->keep_names;
    parsed->keeps_spaces = options->programs != NULL;
    register_names_clear(&parsed->names.names);
    parsed->names.known = known ? known->names : NULL;
    parsed->names.new_count = 0;
    parsed->names.is_cut = false;
    parsed->chunk = chunk;
    parsed->at = chunk->data;
    parsed->line_end = (struct record_line_end){NULL, NULL, NULL, false};
    if (!parsed->parts.count)
        make_room(parsed, options, chunk->size_bytes);
    parsed->part_count = parsed->new_lane_count = 0;
    lane_table_clear(&parsed->part_table);
    parsed->current_part = SIZE_MAX;
    parsed->line_count = parsed->template_line_count = 0;
    parsed->first_event_line = UINT32_MAX;
    parsed->notes.count = parsed->faults.count = 0;
    unknown_words_clear(&parsed->unknown_words);
    parsed->fault_count = parsed->fault_bytes = parsed->lines_of_refused_lanes = 0;
    parsed->unknown_events = 0;
    parsed->doubts = (struct doubts){0};
    parsed->has_finer = false;
    parsed->is_stopped = parsed->ends_partial = parsed->readings_differ = false;
    parsed->has_refused_lanes = parsed->has_no_memory = false;
    hashset_clear(&parsed->notes_seen);
    if (chunk->starts_in_line) { // whose first part has already been reported
        const char *newline = memchr(chunk->data, '\n', chunk->size_bytes);
        parsed->line_count = newline || chunk->is_last;
        parsed->fault_bytes = newline ? (uint64_t)(newline - chunk->data) : chunk->size_bytes;
        parsed->at = newline ? newline + 1 : chunk->data + chunk->size_bytes;
    }
    return true;
}

static const char *chunk_end(const struct source_chunk *chunk)
{
    return chunk->data + chunk->size_bytes;
}

bool parse_is_going_on(const struct parsed_chunk *parsed)
{
    return parsed->at < chunk_end(parsed->chunk) && !parsed->is_stopped;
}

// Reads the current record, of any kind.
static bool read_line(struct parsed_chunk *parsed, const struct parse_options *options)
{
    const struct source_chunk *chunk = parsed->chunk;
    const char *at = parsed->at, *end = chunk_end(chunk);
    struct record_line_end *line = &parsed->line_end;
    if (at < line->from || at >= line->end) {
        const char *found = memchr(at, '\n', (size_t)(end - at));
        const char *until = found ? found : end;
        *line = (struct record_line_end){at, until, line_trim(at, until), found != NULL};
    }
    const char *line_end = line->end, *newline = line->has_newline ? line_end : NULL, *next = NULL;
    bool is_overlong = (uint64_t)(line_end - at) > LIMIT_LINE_BYTES;
    // When the first part of a line that is too long is reported, its end is unknown.
    parsed->ends_partial = !newline && chunk->is_last && !is_overlong;
    if (!(UNLIKELY(is_overlong)
              ? take_overlong(parsed, options, at, line_end, chunk)
              : take_line(parsed, chunk, options, at, line->text_end, newline, &next)))
        return false;
    if (next) {
        parsed->at = next;
        return true;
    }
    // A line that continues in the next chunk is counted there, where it ends.
    parsed->line_count += newline || chunk->is_last;
    parsed->at = line_end + 1;
    return true;
}

bool parse_lines(struct parsed_chunk *parsed, const struct parse_options *options,
                 size_t up_to_bytes)
{
    const struct source_chunk *chunk = parsed->chunk;
    const char *up_to = chunk->data + u64_min(up_to_bytes, chunk->size_bytes);
    template_lines_function *const take_template_lines = template_lines_of(options->simd);
    while (parsed->at < up_to && !parsed->is_stopped) {
        if (!take_template_lines(parsed, chunk, options, &parsed->at, up_to))
            return false;
        if (parsed->at < up_to && !read_line(parsed, options))
            return false;
    }
    return true;
}

bool parse_end(struct parsed_chunk *parsed, const struct parse_options *options)
{
    bool has_memory = true;
    for (size_t i = 0; i < parsed->part_count && has_memory; i++) {
        struct lane_part *part = &parsed->parts.items[i];
        marks_summarize(&part->marks, &part->summary);
        if (UNLIKELY(options->programs != NULL))
            has_memory = lane_programs_guess(&part->programs, &part->marks, parsed->chunk,
                                             options->programs, part->name.text);
    }
    parsed->known_lanes = NULL;
    parsed->names.known = NULL;
    parsed->chunk = NULL;
    return has_memory;
}

bool parse_chunk(struct parsed_chunk *parsed, const struct source_chunk *chunk,
                 const struct parse_options *options, const struct reader_state *guess,
                 const struct known_before *known)
{
    return parse_begin(parsed, chunk, options, guess, known) &&
           parse_lines(parsed, options, chunk->size_bytes) && parse_end(parsed, options);
}
