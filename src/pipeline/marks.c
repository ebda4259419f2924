#include "pipeline/marks.h"

#include "simd/hex.h"

#include <stdlib.h>

void marks_reset(struct marks *marks)
{
    const struct time_peak none = {NO_MARK, 0, 0, NO_MARK, 0};
    marks->count = 0;
    marks->patches.count = 0;
    marks->peak = marks->peak_before = none;
    marks->instruction_count = 0;
    marks->last_instruction = marks->instruction_before_last = NO_MARK;
    marks->patches_before_last_instruction = 0;
    marks->event_count = 0;
    marks->has_aarch64 = false;
}

void marks_free(struct marks *marks)
{
    free(marks->kind);
    free(marks->isa);
    free(marks->flags);
    free(marks->line);
    free(marks->position);
    free(marks->size);
    free(marks->time);
    free(marks->value);
    free(marks->patches.items);
    *marks = (struct marks){0};
}

static NEVER_INLINE bool grow(struct marks *marks)
{
    size_t capacity = marks->capacity * 2 + 64;
    const struct {
        void **column;
        size_t item_bytes;
    } columns[] = {
        {(void **)&marks->kind, sizeof *marks->kind},
        {(void **)&marks->isa, sizeof *marks->isa},
        {(void **)&marks->flags, sizeof *marks->flags},
        {(void **)&marks->line, sizeof *marks->line},
        {(void **)&marks->position, sizeof *marks->position},
        {(void **)&marks->size, sizeof *marks->size},
        {(void **)&marks->time, sizeof *marks->time},
        {(void **)&marks->value, sizeof *marks->value},
    };
    for (size_t i = 0; i < ARRAY_COUNT(columns); i++) {
        void *grown = realloc(*columns[i].column, capacity * columns[i].item_bytes);
        if (!grown)
            return false;
        *columns[i].column = grown;
    }
    marks->capacity = capacity;
    return true;
}

// What one mark holds; the columns are filled from it.
struct mark {
    enum mark_kind kind;
    enum isa_state isa;
    uint8_t flags; // enum mark_flag
    uint32_t line, position, size;
    uint64_t time, value;
};

static ALWAYS_INLINE bool push(struct marks *marks, const struct mark *mark)
{
    if (UNLIKELY(marks->count == marks->capacity) && !grow(marks))
        return false;
    size_t at = marks->count++;
    marks->kind[at] = (uint8_t)mark->kind;
    marks->isa[at] = (uint8_t)mark->isa;
    marks->flags[at] = mark->flags;
    marks->line[at] = mark->line;
    marks->position[at] = mark->position;
    marks->size[at] = mark->size;
    marks->time[at] = mark->time;
    marks->value[at] = mark->value;
    return true;
}

static ALWAYS_INLINE bool raises_peak(const struct marks *marks, uint64_t time)
{
    return time > marks->peak.time || marks->peak.mark == NO_MARK;
}

// The next mark pushed is the first at a new highest time.
static ALWAYS_INLINE void raise_peak(struct marks *marks, uint64_t time)
{
    marks->peak_before = marks->peak;
    marks->peak = (struct time_peak){(uint32_t)marks->count, time, marks->instruction_count,
                                     marks->last_instruction, (uint32_t)marks->patches.count};
}

// The instructions that call the debug host: SVC 123456 and HLT F000 of Arm, SVC AB, BKPT AB and
// HLT 3F of Thumb, HLT F000 of AArch64.
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

static bool add_instruction(struct marks *marks, const struct line_instruction *instruction,
                            struct mark *mark)
{
    mark->kind = MARK_INSTRUCTION;
    mark->isa = instruction->isa;
    mark->size = instruction->size_bytes;
    if (LIKELY(instruction->executed))
        mark->flags = MARK_EXECUTED | (is_semihosting(instruction) ? MARK_SEMIHOSTING : 0);
    mark->value = instruction->address | (instruction->isa == ISA_THUMB);
    marks->has_aarch64 |= instruction->isa == ISA_AARCH64;
    marks->instruction_count++;
    marks->instruction_before_last = marks->last_instruction;
    marks->last_instruction = (uint32_t)marks->count;
    marks->patches_before_last_instruction = (uint32_t)marks->patches.count;
    return push(marks, mark);
}

// The tracked registers in the order of their offsets.
static const struct {
    uint32_t offset;
    enum tracked_register which;
} tracked[] = {
    {REGISTER_OFFSET_X(13), TRACKED_X13},
    {REGISTER_OFFSET_X(14), TRACKED_X14},
    {REGISTER_OFFSET_X(30), TRACKED_X30},
    {REGISTER_OFFSET_XSP, TRACKED_XSP},
};

// Whether [offset, offset + size) of the register space may touch a tracked register. They lie in
// two pairs: x13 with x14, x30 with xsp.
static ALWAYS_INLINE bool touches_tracked(uint64_t offset, uint64_t size_bytes)
{
    uint64_t first = REGISTER_OFFSET_X(13), second = REGISTER_OFFSET_X(30);
    return (offset < first + 16 && offset + size_bytes > first) ||
           (offset < second + 16 && offset + size_bytes > second);
}

// The value of nearly every write to a tracked register: all of it, in one word of sixteen digits.
static ALWAYS_INLINE bool patch_whole_register(const struct line_register *reg,
                                               struct register_bytes *patch)
{
    if (!reg->is_plain || reg->value_end - reg->value_start != 16 || reg->size_bytes != 8)
        return false;
    *patch = (struct register_bytes){0};
    for (size_t t = 0; t < ARRAY_COUNT(tracked); t++) {
        if (tracked[t].offset != reg->name.offset)
            continue;
        patch->value[tracked[t].which] = hex_sixteen(reg->value_start, 16);
        patch->known[tracked[t].which] = UINT64_MAX;
        return true;
    }
    return false;
}

// Copies the bytes at `offset` of the register space into the tracked registers they fall in.
static void patch_from_bytes(struct register_bytes *patch, uint64_t offset, const uint8_t *values,
                             const bool *known, size_t count)
{
    for (size_t t = 0; t < ARRAY_COUNT(tracked); t++) {
        for (uint64_t byte = 0; byte < 8; byte++) {
            uint64_t at = tracked[t].offset + byte;
            if (at < offset || at - offset >= count || !known[at - offset])
                continue;
            patch->value[tracked[t].which] |= (uint64_t)values[at - offset] << (8 * byte);
            patch->known[tracked[t].which] |= UINT64_C(0xff) << (8 * byte);
        }
    }
}

static bool any_known(const bool *known, size_t count)
{
    return count && memchr(known, true, count) != NULL;
}

// What a register line writes. True in *has_event unless it updates no byte at all; `patch` gets
// what it writes to tracked registers, and *is_tracked says whether that is anything.
static void decode_registers(const struct line_register *reg, struct register_bytes *patch,
                             bool *has_event, bool *is_tracked)
{
    uint64_t offset = reg->name.offset + reg->first_byte; // d and s lie in the vectors either way
    uint64_t size_most = u64_max(reg->size_bytes, (uint64_t)(reg->value_end - reg->value_start));
    bool may_track = touches_tracked(offset, size_most);
    *is_tracked = false;
    *has_event = true;
    if (LIKELY(!may_track) && reg->is_plain)
        return;
    if (may_track && LIKELY(patch_whole_register(reg, patch))) {
        *is_tracked = true;
        return;
    }
    uint8_t values[512];
    bool known[512];
    size_t count = tarmac_register_bytes(reg, values, known, sizeof values);
    // A value of more than 512 bytes has surplus digits; they are never all hyphens by chance.
    *has_event =
        any_known(known, count < sizeof known ? count : sizeof known) || count > sizeof known;
    if (!may_track)
        return;
    *patch = (struct register_bytes){0};
    patch_from_bytes(patch, offset, values, known, count < sizeof known ? count : sizeof known);
    for (int i = 0; i < TRACKED_COUNT; i++)
        *is_tracked |= patch->known[i] != 0;
}

static bool add_registers(struct marks *marks, const struct register_bytes *patch,
                          struct mark *mark)
{
    if (!VEC_ROOM(&marks->patches, 1))
        return false;
    mark->kind = MARK_REGISTERS;
    mark->value = marks->patches.count;
    marks->patches.items[marks->patches.count++] = *patch;
    return push(marks, mark);
}

bool marks_add_line(struct marks *marks, const struct tarmac_line *line, uint32_t line_number,
                    uint32_t position)
{
    struct mark mark = {MARK_TIME, ISA_ARM, 0, line_number, position, 0, line->time, 0};
    struct register_bytes patch;
    bool is_tracked = false, has_event = true;
    if (line->kind == LINE_NOTHING)
        return true;
    if (line->kind == LINE_REGISTER)
        decode_registers(&line->reg, &patch, &has_event, &is_tracked);
    if (!has_event)
        return true;
    marks->event_count++;
    bool is_peak = raises_peak(marks, line->time);
    if (is_peak)
        raise_peak(marks, line->time);
    if (line->kind == LINE_INSTRUCTION)
        return add_instruction(marks, &line->instruction, &mark);
    if (is_tracked)
        return add_registers(marks, &patch, &mark);
    if (line->kind == LINE_EXCEPTION)
        mark.kind = MARK_EXCEPTION;
    else if (!is_peak)
        return true;
    return push(marks, &mark);
}

bool marks_add_gap(struct marks *marks, uint32_t line_number, uint32_t position)
{
    const struct mark gap = {MARK_GAP, ISA_ARM, 0, line_number, position, 0, 0, 0};
    return push(marks, &gap);
}

// What stands before the first instruction: gaps, and writes to LR under either state.
static void summarize_head(const struct marks *marks, struct marks_summary *summary)
{
    size_t at = 0;
    for (; at < marks->count && marks->kind[at] != MARK_INSTRUCTION; at++) {
        if (marks->kind[at] == MARK_GAP)
            summary->gap_before_first_instruction = true;
        if (marks->kind[at] != MARK_REGISTERS)
            continue;
        const struct register_bytes *patch = &marks->patches.items[marks->value[at]];
        summary->lr_written_before_first[false] |= patch_touches_lr(patch, false);
        summary->lr_written_before_first[true] |= patch_touches_lr(patch, true);
    }
    summary->first_instruction = at < marks->count ? (uint32_t)at : NO_MARK;
}

// Walks back from the end to what fixes the LR age: the last write to LR or the last transfer of
// control inside the chunk. Registers that follow an instruction are read in its state.
static void summarize_lr_age(const struct marks *marks, struct marks_summary *summary)
{
    uint32_t later = NO_MARK, instructions_behind = 0;
    bool gap = false, lr_written[2] = {false, false}; // since the later instruction, going back
    for (size_t at = marks->count; at-- > 0;) {
        if (marks->kind[at] == MARK_GAP) {
            gap = true;
        } else if (marks->kind[at] == MARK_REGISTERS) {
            const struct register_bytes *patch = &marks->patches.items[marks->value[at]];
            lr_written[false] |= patch_touches_lr(patch, false);
            lr_written[true] |= patch_touches_lr(patch, true);
        } else if (marks->kind[at] == MARK_INSTRUCTION) {
            if (later == NO_MARK)
                summary->gap_at_end = gap;
            bool is_transfer = later != NO_MARK && !gap &&
                               pcs_differ(marks->value[at] + marks->size[at], marks->value[later]);
            summary->lr_age_is_known = is_transfer || lr_written[marks->isa[at] == ISA_AARCH64];
            summary->lr_age =
                (uint8_t)(is_transfer ? LR_AGE_MAX : u64_min(instructions_behind, LR_AGE_MAX));
            if (summary->lr_age_is_known)
                return;
            later = (uint32_t)at;
            gap = lr_written[false] = lr_written[true] = false;
            instructions_behind++;
        }
    }
}

static void overlay_range(const struct marks *marks, size_t from, size_t to,
                          struct register_bytes *bytes)
{
    for (size_t i = from; i < to; i++)
        register_bytes_overlay(bytes, &marks->patches.items[i]);
}

static void summarize_registers(const struct marks *marks, struct marks_summary *summary)
{
    size_t peak = marks->peak.patches_before, last = marks->patches_before_last_instruction;
    overlay_range(marks, 0, peak, &summary->before_peak);
    overlay_range(marks, 0, last, &summary->before_last);
    summary->at_end = summary->before_last;
    overlay_range(marks, last, marks->patches.count, &summary->at_end);
}

void marks_summarize(const struct marks *marks, struct marks_summary *summary)
{
    *summary = (struct marks_summary){0};
    summarize_head(marks, summary);
    summarize_lr_age(marks, summary);
    summarize_registers(marks, summary);
}
