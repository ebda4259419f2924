// Stores the contents of a line. Compiled into the loops that read lines.
#ifndef TRAWL_TRACE_LINES_KEEP_LINE_H
#define TRAWL_TRACE_LINES_KEEP_LINE_H

#include "trace/lines/key_line.h"
#include "trace/lines/lane_state.h"
#include "trace/lines/marks_add.h"
#include "trace/lines/parsed_chunk.h"
#include "trace/lines/whole_line.h"

// The part of the chunk for lines that do not name their lane. NULL: none yet.
static ALWAYS_INLINE struct lane_part *lane_part_in_hand(const struct parsed_chunk *parsed)
{
    return parsed->current_part < parsed->part_count ? &parsed->parts.items[parsed->current_part]
                                                     : NULL;
}

// The part for a line with this core name, or without one if `length` is 0; `part` is the current
// one. NULL: no memory, or beyond LIMIT_LANES.
static ALWAYS_INLINE struct lane_part *lane_part_of_line(struct parsed_chunk *parsed,
                                                         struct lane_part *part, const char *cpu,
                                                         size_t length,
                                                         const struct parse_options *options)
{
    bool is_named = length && options->split_lanes;
    if (length && !is_named)
        parsed->readings_differ = true; // the other reading distinguishes cores
    if (LIKELY(part) &&
        (LIKELY(!is_named) || lane_name_is(&part->name, options->lane_prefix_bytes, cpu, length)))
        return part;
    return parsed_chunk_lane(parsed, is_named ? cpu : NULL, length);
}

static ALWAYS_INLINE enum flow_state flow_of(const struct lane_part *part)
{
    uint32_t last = part->marks.last_instruction;
    if (UNLIKELY(last == NO_MARK))
        return FLOW_UNKNOWN;
    return mark_isa(&part->marks.items[last]) == ISA_AARCH64 ? FLOW_AARCH64 : FLOW_AARCH32;
}

static ALWAYS_INLINE uint32_t position_of(const struct line_extent *place)
{
    return (uint32_t)(place->start - place->chunk->data);
}

// Stores what is needed of a line besides marks.
static ALWAYS_INLINE bool keep_details(struct lane_part *part, const struct trace_line *line,
                                       const struct line_extent *place,
                                       const struct parse_options *options)
{
    switch (line->kind) {
    case LINE_REGISTER:
        if (LIKELY(!line->reg.spelled))
            return records_add_register(&part->records, &line->reg, place->number, flow_of(part),
                                        &options->records);
        return records_add_banked(&part->records, &line->reg, place->number, flow_of(part),
                                  marks_bank(&part->marks), &options->records) &&
               records_add_named(&part->records, &line->reg, place->number, position_of(place));
    case LINE_NAMED_REGISTER:
        return records_add_named(&part->records, &line->reg, place->number, position_of(place));
    case LINE_MEMORY:
        if (line_memory_is_doubtful(&line->memory))
            return options->language->add_access(part, &line->memory, place, options);
        return records_add_access(&part->records, &line->memory, place->number,
                                  marks_bank(&part->marks), &options->records);
    case LINE_DIAGRAM:
        return records_add_diagram(&part->records, &line->diagram, place->number,
                                   &options->records);
    case LINE_INSTRUCTION:
        return !options->keep_instructions ||
               records_add_instruction(&part->records, &line->instruction, place->number,
                                       place->chunk->data, place->start, place->end);
    case LINE_NOTHING:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        return true;
    }
    return true;
}

// Counts a line of which only the time matters, and which makes no mark. False: it is not such a
// line.
static ALWAYS_INLINE bool count_line(const struct parsed_chunk *parsed, struct lane_part *part,
                                     uint64_t time)
{
    if (UNLIKELY(!part) || UNLIKELY(parsed->first_event_line == UINT32_MAX) ||
        marks_raises_peak(&part->marks, time))
        return false;
    part->line_count++;
    part->marks.event_count++;
    return true;
}

// Adds a line that could be read to its part; NULL: a refused lane. `has_details` is a constant
// where this is compiled, so that nothing unnecessary is read. False: no memory.
static ALWAYS_INLINE bool record_line(struct parsed_chunk *parsed, struct lane_part *part,
                                      const struct trace_line *line,
                                      const struct line_extent *place,
                                      const struct parse_options *options, bool has_details)
{
    if (UNLIKELY(!part)) {
        parsed->lines_of_refused_lanes++;
        return !parsed->has_no_memory;
    }
    part->line_count++;
    if (UNLIKELY(line->readings_differ))
        parsed->readings_differ = true;
    uint64_t events = part->marks.event_count;
    if (!marks_add_line(&part->marks, line, place->number, position_of(place), has_details) ||
        (has_details && !keep_details(part, line, place, options)))
        return false;
    if (UNLIKELY(options->task_key != NULL) && line->kind != LINE_INSTRUCTION) {
        const struct trace_line copy = *line; // so that `line` need not be in memory
        if (key_line_may_show(&copy, options->task_key) &&
            !key_line_add(&part->marks, &copy, place, options))
            return false;
    }
    if (UNLIKELY(parsed->first_event_line == UINT32_MAX) && part->marks.event_count > events &&
        line->time != NO_TIME)
        parsed->first_event_line = place->number;
    return true;
}

#endif
