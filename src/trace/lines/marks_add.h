// Adds lines to the marks of their lanes. Compiled into the loops that read lines.
#ifndef TRAWL_TRACE_LINES_MARKS_ADD_H
#define TRAWL_TRACE_LINES_MARKS_ADD_H

#include "simd/text.h"
#include "trace/lines/marks.h"

static ALWAYS_INLINE bool marks_raises_peak(const struct marks *marks, uint64_t time)
{
    return time > marks->peak.time || marks->peak.mark == NO_MARK;
}

// The time of a line where times count the instructions of the lane; `goes_on`: it is a record on
// the line of the last one.
static ALWAYS_INLINE uint64_t marks_counted(const struct marks *marks, bool goes_on)
{
    return marks->repeats + marks->instruction_count - (goes_on && marks->instruction_count);
}

// The next mark is the first at a new highest time.
static ALWAYS_INLINE void marks_raise_peak(struct marks *marks, uint64_t time)
{
    marks->peak_before = marks->peak;
    marks->peak.mark = (uint32_t)marks->count;
    marks->peak.time = time;
    marks->peak.instructions_before = marks->instruction_count;
    marks->peak.last_instruction_before = marks->last_instruction;
    marks->peak.patches_before = (uint32_t)marks->patches.count;
}

// Instructions that call the debug host: SVC 123456 and HLT F000 of Arm, SVC AB, BKPT AB and HLT 3F
// of Thumb, HLT F000 of AArch64.
static ALWAYS_INLINE bool is_semihosting(const struct line_instruction *instruction)
{
    uint32_t encoding = instruction->encoding;
    switch (instruction->isa) {
    case ISA_AARCH64:
        return encoding == 0xd45e0000;
    case ISA_ARM:
        return (encoding & 0x0fffffff) == 0x0f123456 || (encoding & 0x0fffffff) == 0x010f0070;
    case ISA_THUMB:
        return encoding == 0xbeab || encoding == 0xdfab || encoding == 0xbabc;
    }
    return false;
}

static ALWAYS_INLINE void marks_add_instruction(struct marks *marks,
                                                const struct line_instruction *instruction,
                                                struct mark *mark, bool wants_semihosting)
{
    mark->summary = instruction->summary;
    if (wants_semihosting && instruction->executed && is_semihosting(instruction))
        mark->summary.flags |= MARK_SEMIHOSTING;
    mark->value = instruction->address | (instruction->isa == ISA_THUMB);
    marks->has_aarch64 |= instruction->isa == ISA_AARCH64;
    marks->instruction_count++;
    marks->instruction_before_last = marks->last_instruction;
    marks->last_instruction = (uint32_t)marks->count++;
    marks->patches_before_last_instruction = (uint32_t)marks->patches.count;
}

// Whether [offset, offset + size) of the register space may touch a tracked register. There are two
// pairs: x13 with x14, x30 with xsp.
static ALWAYS_INLINE bool touches_tracked(uint64_t offset, uint64_t size_bytes)
{
    uint64_t first = REGISTER_OFFSET_X(13), second = REGISTER_OFFSET_X(30);
    return (offset < first + 16 && offset + size_bytes > first) ||
           (offset < second + 16 && offset + size_bytes > second);
}

// Whether the line certainly writes, and only to registers that are not tracked.
static ALWAYS_INLINE bool writes_untracked(const struct line_register *reg)
{
    uint64_t offset = reg->name.offset + reg->first_byte; // d and s: in the vectors in any state
    uint64_t digits_most = (uint64_t)(reg->value_end - reg->value_start);
    uint64_t size_most = u64_max(reg->size_bytes, (digits_most + 1) / 2);
    return reg->is_plain && !touches_tracked(offset, size_most);
}

// Whether only the time of such a line matters here, whatever its digits are.
static inline bool marks_need_only_time(const struct trace_line *line)
{
    switch (line->kind) {
    case LINE_REGISTER:
        return !line->readings_differ && writes_untracked(&line->reg);
    case LINE_MEMORY:
    case LINE_DIAGRAM:
    case LINE_TEXT:
        return !line->readings_differ;
    case LINE_NOTHING:
    case LINE_NAMED_REGISTER:
    case LINE_INSTRUCTION:
    case LINE_EXCEPTION:
        return false;
    }
    return false;
}

static ALWAYS_INLINE bool marks_add_patch(struct marks *marks, const struct register_patch *patch,
                                          struct mark *mark)
{
    if (!VEC_ROOM(&marks->patches, 1))
        return false;
    mark->summary.kind = MARK_REGISTERS;
    mark->summary.mode = mark_mode(ISA_ARM, patch->bank);
    mark->value = marks->patches.count;
    marks->patches.items[marks->patches.count++] = patch->bytes;
    marks->count++;
    return true;
}

// Adds an effect of the last instruction before the chunk, where times count instructions: it does
// not raise the peak. False: no memory.
static inline bool marks_add_late(struct marks *marks, const struct trace_line *line,
                                  uint32_t line_number, uint32_t position)
{
    struct register_patch patch;
    if (line->kind <= LINE_NAMED_REGISTER)
        return line->kind == LINE_NOTHING ||
               marks_add_named(marks, &line->reg, line_number, position);
    const bool is_register = line->kind == LINE_REGISTER && !writes_untracked(&line->reg);
    if (is_register)
        marks_decode_patch(&line->reg, &patch);
    marks->event_count += !is_register || patch.has_event;
    if (!is_register || !patch.has_event || !patch.is_tracked)
        return true;
    struct mark *mark = marks_next(marks, MARK_TIME, line_number, position);
    if (!mark)
        return false;
    mark->time = UINT64_MAX; // one less than the first of the chunk
    return marks_add_patch(marks, &patch, mark);
}

// For an instruction that does not raise the peak.
static ALWAYS_INLINE void marks_note_fall(struct marks *marks, uint64_t time, uint32_t line_number)
{
    uint32_t last = marks->last_instruction;
    if (UNLIKELY(last != NO_MARK && time < marks->items[last].time) && !marks->fall_count++)
        marks->first_fall_line = line_number;
}

// Adds a line. False: no memory.
static ALWAYS_INLINE bool marks_add_line(struct marks *marks, const struct trace_line *line,
                                         uint32_t line_number, uint32_t position,
                                         bool wants_semihosting)
{
    struct register_patch patch;
    bool is_tracked = false;
    if (line->kind <= LINE_NAMED_REGISTER)
        return LIKELY(line->kind == LINE_NOTHING) ||
               marks_add_named(marks, &line->reg, line_number, position);
    if (line->kind == LINE_REGISTER && UNLIKELY(!writes_untracked(&line->reg))) {
        const struct line_register reg = line->reg; // so that `line` need not be in memory
        marks_decode_patch(&reg, &patch);
        is_tracked = patch.is_tracked;
        if (!patch.has_event)
            return true;
    }
    marks->event_count++;
    bool is_peak = marks_raises_peak(marks, line->time);
    if (is_peak)
        marks_raise_peak(marks, line->time);
    else if (line->kind == LINE_INSTRUCTION)
        marks_note_fall(marks, line->time, line_number);
    else if (line->kind != LINE_EXCEPTION && !is_tracked)
        return true;
    enum mark_kind kind = line->kind == LINE_EXCEPTION ? MARK_EXCEPTION : MARK_TIME;
    struct mark *mark = marks_next(marks, kind, line_number, position);
    if (UNLIKELY(!mark))
        return false;
    mark->time = line->time;
    mark->value = kind == MARK_EXCEPTION ? line->handler : 0;
    if (line->kind == LINE_INSTRUCTION)
        marks_add_instruction(marks, &line->instruction, mark, wants_semihosting);
    else if (is_tracked)
        return marks_add_patch(marks, &patch, mark);
    else
        marks->count++;
    return true;
}

#endif
