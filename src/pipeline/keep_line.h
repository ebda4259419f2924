// Keeping what a line says: compiled into the loops that read lines.
#ifndef TRAWL_PIPELINE_KEEP_LINE_H
#define TRAWL_PIPELINE_KEEP_LINE_H

#include "pipeline/lane_state.h"
#include "pipeline/marks_add.h"
#include "pipeline/parse.h"

static ALWAYS_INLINE bool lane_name_is(const struct lane_name *name, const char *text,
                                       size_t length)
{
    length = (size_t)u64_min(length, LIMIT_LANE_NAME_BYTES);
    return memcmp(name->text, text, length) == 0 && name->text[length] == 0;
}

// The part of the chunk that the line is of. NULL without memory or beyond LIMIT_LANES.
static ALWAYS_INLINE struct lane_part *lane_part_of_line(struct parsed_chunk *parsed,
                                                         const struct tarmac_line *line,
                                                         const struct parse_options *options)
{
    bool is_named = line->cpu && options->split_lanes;
    parsed->readings_differ |= line->cpu && !is_named; // the other reading keeps cores apart
    if (LIKELY(parsed->current_part < parsed->part_count)) {
        struct lane_part *part = &parsed->parts.items[parsed->current_part];
        if (LIKELY(!is_named) || lane_name_is(&part->name, line->cpu, line->cpu_length))
            return part;
    }
    return parsed_chunk_lane(parsed, is_named ? line->cpu : NULL, line->cpu_length);
}

static ALWAYS_INLINE bool keep_records(struct lane_part *part, const struct tarmac_line *line,
                                       uint32_t line_number, const struct parse_options *options)
{
    const struct record_options how = {options->tarmac.reading, options->big_endian};
    uint32_t last = part->marks.last_instruction;
    enum flow_state flow = last == NO_MARK                        ? FLOW_UNKNOWN
                           : part->marks.items[last].isa == ISA_AARCH64 ? FLOW_AARCH64
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
    struct lane_part *part = lane_part_of_line(parsed, line, options);
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

#endif
