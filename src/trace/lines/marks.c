#include "trace/lines/marks.h"

#include "idx/spaces.h"
#include "simd/text.h"

#include "base/characters.h"

#include <stdlib.h>

void marks_reset(struct marks *marks)
{
    const struct time_peak none = {NO_MARK, 0, 0, NO_MARK, 0};
    marks->count = 0;
    marks->patches.count = 0;
    marks->spaces.count = 0;
    marks->peak = marks->peak_before = none;
    marks->instruction_count = 0;
    marks->last_instruction = marks->instruction_before_last = NO_MARK;
    marks->patches_before_last_instruction = 0;
    marks->event_count = marks->repeats = 0;
    marks->has_aarch64 = false;
    marks->fall_count = 0;
}

void marks_free(struct marks *marks)
{
    free(marks->items);
    free(marks->patches.items);
    free(marks->spaces.items);
    *marks = (struct marks){0};
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

// Decodes the value of nearly every write to a tracked register: all of it, in one word of sixteen
// digits.
static bool patch_whole_register(const struct line_register *reg, struct register_bytes *patch)
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

static bool any_written(const uint8_t *effects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (effects[i] != BYTE_KEPT)
            return true;
    }
    return false;
}

uint32_t mark_encoding(const struct mark *mark, const struct source_chunk *chunk)
{
    size_t digits = 0;
    if (!mark->summary.encoding_column)
        return 0;
    size_t at = mark->position + mark->summary.encoding_column;
    const char *text = chunk->data + at;
    size_t room = (size_t)u64_min(chunk->size_bytes - at, ENCODING_DIGITS);
    while (digits < room && is_hex_digit(text[digits]))
        digits++;
    return (uint32_t)hex_sixteen(text, digits);
}

void marks_decode_patch(const struct line_register *reg, struct register_patch *patch)
{
    uint64_t offset = reg->name.offset + reg->first_byte;
    uint8_t values[512];
    uint8_t effects[512];
    patch->bank = reg->name.bank;
    patch->has_event = patch->is_tracked = true;
    if (LIKELY(patch_whole_register(reg, &patch->bytes)))
        return;
    size_t count = line_register_bytes(reg, values, effects, sizeof values);
    size_t kept = (size_t)u64_min(count, sizeof values);
    // A value of more than 512 bytes has surplus digits; they are assumed not to be all hyphens.
    patch->has_event = any_written(effects, kept) || count > sizeof effects;
    patch->is_tracked = false;
    patch->bytes = (struct register_bytes){0};
    // Copies the bytes at `offset` of the register space to the tracked registers that contain
    // them.
    for (size_t t = 0; t < ARRAY_COUNT(tracked); t++) {
        for (uint64_t byte = 0; byte < 8; byte++) {
            uint64_t at = tracked[t].offset + byte;
            if (at < offset || at - offset >= kept || effects[at - offset] == BYTE_KEPT)
                continue;
            bool is_known = effects[at - offset] == BYTE_KNOWN;
            uint64_t value = is_known ? values[at - offset] : UINT8_MAX; // forgotten
            patch->bytes.value[tracked[t].which] |= value << (8 * byte);
            patch->bytes.known[tracked[t].which] |= (is_known ? UINT64_C(0xff) : 0) << (8 * byte);
        }
    }
    if (reg->name.layout == LAYOUT_LINK || reg->name.layout == LAYOUT_STACK) {
        // The state of the core tells which; nothing reads the other one in it.
        bool is_link = reg->name.layout == LAYOUT_LINK;
        enum tracked_register short_one = is_link ? TRACKED_X14 : TRACKED_X13;
        enum tracked_register long_one = is_link ? TRACKED_X30 : TRACKED_XSP;
        uint64_t known = patch->bytes.known[short_one];
        uint64_t written = known | register_bytes_forgotten(&patch->bytes, short_one);
        if ((written & UINT32_MAX) == UINT32_MAX) {
            patch->bytes.value[long_one] = patch->bytes.value[short_one];
            patch->bytes.known[long_one] = known | ~(uint64_t)UINT32_MAX;
        }
    }
    for (int i = 0; i < TRACKED_COUNT; i++)
        patch->is_tracked |=
            register_bytes_touch(&patch->bytes, (enum tracked_register)i, UINT64_MAX);
}

bool marks_add_gap(struct marks *marks, uint32_t line_number, uint32_t position)
{
    struct mark *mark = marks_next(marks, MARK_GAP, line_number, position);
    if (!mark)
        return false;
    mark->time = mark->value = 0;
    marks->count++;
    return true;
}

static bool add_space(struct marks *marks, const struct line_register *reg)
{
    char name[sizeof "CONTEXTIDR_EL1"];
    if (!reg->spelled_length || reg->spelled_length >= sizeof name)
        return true;
    memcpy(name, reg->spelled, reg->spelled_length);
    name[reg->spelled_length] = '\0';
    const int which = index_space_register(name);
    if (which < 0)
        return true;
    const size_t digits = (size_t)(reg->value_end - reg->value_start);
    const bool is_known = reg->is_plain && !reg->is_range && !reg->has_unknown && digits <= 16;
    if (!VEC_ROOM(&marks->spaces, 1))
        return false;
    marks->spaces.items[marks->spaces.count++] = (struct space_write){
        .value = is_known ? hex_sixteen(reg->value_start, digits) : INDEX_SPACE_UNKNOWN,
        .marks_before = (uint32_t)marks->count,
        .which = (uint8_t)which,
    };
    return true;
}

bool marks_add_key(struct marks *marks, enum task_key_kind kind, uint64_t key, bool is_read,
                   uint32_t line_number, uint32_t position)
{
    struct mark *mark = marks_next(marks, MARK_KEY, line_number, position);
    if (!mark)
        return false;
    mark->time = 0;
    mark->value = key;
    mark->summary.size = (uint8_t)kind;
    mark->summary.flags = is_read ? MARK_READ : 0;
    marks->count++;
    return true;
}

// A register that says in which address space programs run; for A32 without the level.
static bool is_of_space(const struct line_register *reg)
{
    static const char *const names[] = {"contextidr", "ttbr0"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        size_t length = strlen(names[i]);
        const char *rest = reg->spelled + length;
        if (reg->spelled_length >= length && strncasecmp(reg->spelled, names[i], length) == 0)
            return reg->spelled_length == length ||
                   (reg->spelled_length == length + 4 && strncasecmp(rest, "_el1", 4) == 0);
    }
    return false;
}

static bool is_one_of(const char *const *name, const struct line_register *reg)
{
    for (; name && *name; name++) {
        if (reg->spelled_length == strlen(*name) &&
            strncasecmp(reg->spelled, *name, reg->spelled_length) == 0)
            return true;
    }
    return false;
}

bool marks_add_named(struct marks *marks, const struct line_register *reg, uint32_t line_number,
                     uint32_t position)
{
    size_t digits = (size_t)(reg->value_end - reg->value_start);
    if (UNLIKELY(marks->keeps_spaces) && !add_space(marks, reg))
        return false;
    if (!reg->is_plain || digits > 16)
        return true;
    const uint64_t value = hex_sixteen(reg->value_start, digits);
    if (is_one_of(marks->vector_bases, reg)) // where each interrupt has a vector, they are found
        return (value & 3) != 0 ||
               marks_add_key(marks, KEY_OF_VECTORS, value, false, line_number, position);
    if (!is_one_of(marks->exception_returns, reg))
        return !is_of_space(reg) ||
               marks_add_key(marks, KEY_OF_SPACE_FOUND, value, false, line_number, position);
    struct mark *mark = marks_next(marks, MARK_RESUME, line_number, position);
    if (!mark)
        return false;
    mark->time = 0;
    mark->value = value;
    marks->count++;
    return true;
}

// Walks back from the end to what determines the LR age: the last write to LR or the last transfer
// of control in the chunk. Registers after an instruction are interpreted in its state.
static void summarize_lr_age(const struct marks *marks, struct marks_summary *summary)
{
    uint32_t later = NO_MARK, instructions_behind = 0;
    bool gap = false, lr_written[2] = {false, false}; // since the later instruction, going back
    for (size_t at = marks->count; at-- > 0;) {
        if (marks->items[at].summary.kind == MARK_GAP) {
            gap = true;
        } else if (marks->items[at].summary.kind == MARK_REGISTERS) {
            const struct register_bytes *patch = &marks->patches.items[marks->items[at].value];
            lr_written[false] |= patch_touches_lr(patch, false);
            lr_written[true] |= patch_touches_lr(patch, true);
        } else if (marks->items[at].summary.kind == MARK_INSTRUCTION) {
            if (later == NO_MARK)
                summary->gap_at_end = gap;
            bool is_transfer = later != NO_MARK && !gap &&
                               pcs_differ(marks->items[at].value + marks->items[at].summary.size,
                                          marks->items[later].value);
            summary->lr_age_is_known =
                is_transfer || lr_written[mark_isa(&marks->items[at]) == ISA_AARCH64];
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
    if (peak <= last) // as in every trace whose times do not step back
        summary->before_last = summary->before_peak;
    overlay_range(marks, peak <= last ? peak : 0, last, &summary->before_last);
    summary->at_end = summary->before_last;
    overlay_range(marks, last, marks->patches.count, &summary->at_end);
}

void marks_summarize(const struct marks *marks, struct marks_summary *summary)
{
    *summary = (struct marks_summary){0};
    // Summarizes what is before the first instruction: gaps, and writes to LR in either state.
    size_t at = 0;
    for (; at < marks->count && marks->items[at].summary.kind != MARK_INSTRUCTION; at++) {
        if (marks->items[at].summary.kind == MARK_GAP)
            summary->gap_before_first_instruction = true;
        if (marks->items[at].summary.kind != MARK_REGISTERS)
            continue;
        const struct register_bytes *patch = &marks->patches.items[marks->items[at].value];
        summary->lr_written_before_first[false] |= patch_touches_lr(patch, false);
        summary->lr_written_before_first[true] |= patch_touches_lr(patch, true);
    }
    summary->first_instruction = at < marks->count ? (uint32_t)at : NO_MARK;
    summarize_lr_age(marks, summary);
    summarize_registers(marks, summary);
}
