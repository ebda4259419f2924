#include "trace/tarmac/access.h"

#include "arch/arm/control.h"
#include "trace/lines/marks_add.h"
#include "trace/tarmac/line_read.h"

// How far the accesses of an instruction can be from its line. More are not looked at, so that the
// result does not depend on where chunks begin.
#define FEW_ACCESSES 32
#define NEAR_BYTES 2048

_Static_assert(NEAR_BYTES < SOURCE_RUN_IN_BYTES, "the text before a chunk");

static bool is_too_far(const struct accessing *accessing, int64_t position)
{
    return accessing->count >= FEW_ACCESSES || position - accessing->position > NEAR_BYTES;
}

// Whether a line names another core than the one after it, which need not name it.
static bool is_of_other_core(const struct trace_line *line, const struct trace_line *next)
{
    return next->cpu_length && (line->cpu_length != next->cpu_length ||
                                memcmp(line->cpu, next->cpu, next->cpu_length) != 0);
}

// Finds the instruction of the access in the line [start, end) by reading lines backward from it.
static bool find_in_text(const char *text, const char *start, const char *end,
                         const struct reading_options *how, struct accessing *accessing)
{
    struct trace_line line, next = {.cpu_length = 0};
    const char *at = start;
    if (start - text > NEAR_BYTES + 1)
        text = start - (NEAR_BYTES + 1);
    for (uint32_t count = 0;; count++) {
        struct line_context context = LINE_CONTEXT_START;
        struct text_fault fault;
        if (!tarmac_line_read(at, line_trim(at, end), how, &context, &line, &fault) ||
            is_of_other_core(&line, &next))
            return false;
        if (line.kind == LINE_INSTRUCTION) {
            *accessing = (struct accessing){
                .count = count - 1,
                .encoding = line.instruction.encoding,
                .size_bytes = line.instruction.size_bytes,
                .position = at - start,
                .isa = line.instruction.isa,
                .is_executed = line.instruction.executed,
            };
            return true;
        }
        if (line.kind != LINE_MEMORY || !line_memory_is_doubtful(&line.memory) || at == text)
            return false;
        next = line;
        end = at - 1;
        const char *newline = memrchr(text, '\n', (size_t)(end - text));
        at = newline ? newline + 1 : text;
    }
}

// Whether the access on a line belongs to an instruction; sets part->accessing to it.
static bool find_instruction(struct lane_part *part, const struct line_extent *place,
                             const struct parse_options *options)
{
    struct accessing *accessing = &part->accessing;
    const struct source_chunk *chunk = place->chunk;
    const int64_t position = place->start - chunk->data;
    const uint32_t last = part->marks.last_instruction;
    const struct mark *mark = last == NO_MARK ? NULL : &part->marks.items[last];
    if (accessing->count && accessing->next_line == place->number)
        return !is_too_far(accessing, position);
    if (mark && mark->line + 1 == place->number) {
        *accessing = (struct accessing){
            .encoding = mark_encoding(mark, chunk),
            .size_bytes = mark->summary.size,
            .position = mark->position,
            .isa = mark_isa(mark),
            .is_executed = mark->summary.flags & MARK_EXECUTED,
        };
        return !is_too_far(accessing, position);
    }
    const char *end = chunk->data + chunk->size_bytes;
    const char *newline = memchr(place->start, '\n', (size_t)(end - place->start));
    // The instruction, and accesses after it, may be in the text before the chunk.
    if (place->number > FEW_ACCESSES || position > NEAR_BYTES || !chunk->run_in_bytes ||
        !find_in_text(chunk->data - chunk->run_in_bytes, place->start, newline ? newline : end,
                      &options->how, accessing))
        return false;
    accessing->position += position;
    return !is_too_far(accessing, position);
}

static bool loads(const struct accessing *accessing)
{
    return accessing->is_executed &&
           control_only_loads(accessing->encoding, accessing->size_bytes, accessing->isa);
}

// Whether an access of 16 bytes or more, written as one word, has at most 64 bits of its data.
static bool has_half(const struct line_memory *memory)
{
    enum { DIGITS = 16 };
    const char *end = memory->value.end;
    if (memory->size_bytes < 16 || !memory->is_known || memory->second.start < memory->second.end ||
        end - memory->value.start != 2 * (ptrdiff_t)memory->size_bytes)
        return false;
    for (const char *at = memory->value.start; at < end - DIGITS; at++) {
        if (*at != '0')
            return false;
    }
    return true;
}

bool access_add(struct lane_part *part, const struct line_memory *memory,
                const struct line_extent *place, const struct parse_options *options)
{
    struct line_memory access = *memory;
    struct accessing *accessing = &part->accessing;
    if (options->how.reading == READING_TRUE && find_instruction(part, place, options)) {
        accessing->count++;
        accessing->next_line = place->number + 1;
        access.is_read |= loads(accessing);
        bool is_whole = access.is_read == memory->is_read &&
                        control_moves_registers(accessing->encoding, accessing->isa);
        if (!is_whole && has_half(memory))
            access.is_known = false;
        part->records.readings_differ |=
            access.is_read != memory->is_read || access.is_known != memory->is_known;
    }
    return records_add_access(&part->records, &access, place->number, marks_bank(&part->marks),
                              &options->records);
}

bool access_is_load(const char *text, const char *start, const char *end,
                    const struct line_memory *memory, const struct reading_options *how)
{
    struct accessing accessing;
    if (memory->is_read || !line_memory_is_doubtful(memory) || how->reading == READING_TTU)
        return memory->is_read;
    return find_in_text(text, start, end, how, &accessing) && !is_too_far(&accessing, 0) &&
           loads(&accessing);
}
