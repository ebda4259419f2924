#include "pipeline/records.h"

#include "simd/hex.h"

#include <stdlib.h>

void records_reset(struct records *records)
{
    records->registers.count = records->accesses.count = records->instructions.count = 0;
    records->readings_differ = records->readings_differ_in_aarch64 = false;
}

void records_free(struct records *records)
{
    free(records->registers.items);
    free(records->accesses.items);
    free(records->instructions.items);
    *records = (struct records){0};
}

// --- Registers -----------------------------------------------------------------------------------

static ALWAYS_INLINE bool push_cell(struct records *records, const struct register_record *record)
{
    if (UNLIKELY(!VEC_ROOM(&records->registers, 1)))
        return false;
    records->registers.items[records->registers.count++] = *record;
    return true;
}

// Bytes of the longest value that is looked at; surplus digits beyond it reach no named register.
#define VALUE_BYTES_MAX 512

// Adds the bytes that a value updates from `offset` of the register space on, cell by cell.
static bool push_bytes(struct records *records, uint64_t offset, const uint8_t *values,
                       const bool *known, size_t count, uint32_t line, enum record_state state)
{
    for (size_t at = 0; at < count;) {
        uint64_t cell = (offset + at) / 8;
        if (cell >= REGISTER_CELLS)
            return true;
        struct register_record record = {0, line, (uint16_t)cell, 0, (uint8_t)state};
        for (unsigned byte = (unsigned)((offset + at) % 8); byte < 8 && at < count; byte++, at++) {
            if (!known[at])
                continue;
            record.value |= (uint64_t)values[at] << (8 * byte);
            record.mask |= (uint8_t)(1u << byte);
        }
        if (record.mask && !push_cell(records, &record))
            return false;
    }
    return true;
}

// In AArch64 a write to w, s or d clears the rest of x, or of v (Arm ARM, B1.2.1). The reference
// leaves the old bytes there (specs: 1.5.3 [Q]). Returns the new number of bytes.
static size_t clear_rest(const struct line_register *reg, uint8_t *values, bool *known,
                         size_t count)
{
    bool is_vector = reg->name.layout != LAYOUT_FIXED;
    bool is_w = !is_vector && reg->name.is_w;
    size_t whole = is_vector ? 16 : is_w ? 8 : 0;
    if (reg->size_bytes != reg->name.size_bytes)
        return count; // a bit range
    for (; count < whole; count++) {
        values[count] = 0;
        known[count] = true;
    }
    return count;
}

static NEVER_INLINE bool add_decoded(struct records *records, const struct line_register *reg,
                                     uint32_t line, enum flow_state flow,
                                     const struct record_options *options)
{
    uint8_t values[VALUE_BYTES_MAX];
    bool known[VALUE_BYTES_MAX];
    size_t count = tarmac_register_bytes(reg, values, known, sizeof values);
    count = count < sizeof values ? count : sizeof values;
    bool depends = reg->name.layout != LAYOUT_FIXED || reg->name.is_w;
    for (int aarch64 = 0; aarch64 < 2; aarch64++) {
        if (flow == (aarch64 ? FLOW_AARCH32 : FLOW_AARCH64))
            continue;
        if (aarch64 && depends)
            *(flow == FLOW_UNKNOWN ? &records->readings_differ_in_aarch64
                                   : &records->readings_differ) = true;
        if (aarch64 && options->reading == READING_RIGHT && depends)
            count = clear_rest(reg, values, known, count);
        enum record_state state = !depends || flow != FLOW_UNKNOWN ? RECORD_IN_ANY_STATE
                                  : aarch64                        ? RECORD_IN_AARCH64
                                                                   : RECORD_IN_AARCH32;
        uint64_t offset = register_offset(&reg->name, aarch64) + reg->first_byte;
        if (!push_bytes(records, offset, values, known, count, line, state))
            return false;
        if (!depends)
            return true;
    }
    return true;
}

// Nearly every register line: a whole x or r register in one word of plain digits.
static ALWAYS_INLINE bool is_whole_cell(const struct line_register *reg)
{
    return reg->is_plain && reg->name.layout == LAYOUT_FIXED && !reg->name.is_w &&
           reg->size_bytes <= 8 && reg->first_byte == 0 &&
           (size_t)(reg->value_end - reg->value_start) == 2 * (size_t)reg->size_bytes &&
           reg->name.offset % 8 == 0 && reg->name.offset / 8 < REGISTER_CELLS;
}

static ALWAYS_INLINE bool add_register(struct records *records, const struct line_register *reg,
                                       uint32_t line, enum flow_state flow,
                                       const struct record_options *options)
{
    if (UNLIKELY(!is_whole_cell(reg)))
        return add_decoded(records, reg, line, flow, options);
    const struct register_record record = {
        .value = hex_sixteen(reg->value_start, 2 * (size_t)reg->size_bytes),
        .line = line,
        .cell = (uint16_t)(reg->name.offset / 8),
        .mask = (uint8_t)((1u << reg->size_bytes) - 1),
        .state = RECORD_IN_ANY_STATE,
    };
    return push_cell(records, &record);
}

// --- Memory --------------------------------------------------------------------------------------

static ALWAYS_INLINE bool push_access(struct records *records, const struct memory_record *record)
{
    if (UNLIKELY(!VEC_ROOM(&records->accesses, 1)))
        return false;
    records->accesses.items[records->accesses.count++] = *record;
    return true;
}

// The number in the digits of [start, end), of which underscores are none.
static uint64_t number_between(const char *start, const char *end)
{
    uint64_t number = 0;
    if (end - start <= 16 && !memchr(start, '_', (size_t)(end - start)))
        return hex_sixteen(start, (size_t)(end - start));
    for (const char *at = start; at < end; at++) {
        if (*at != '_')
            number = number << 4 | hex_sixteen(at, 1);
    }
    return number;
}

// Where the last sixteen digits of a word of 32 begin.
static const char *second_half(const struct text_span *word)
{
    const char *at = word->end;
    for (size_t digits = 0; digits < 16; digits += *at != '_')
        at--;
    return at;
}

// The upper and the lower eight bytes of an access of sixteen: two words, or one of 32 digits.
static bool add_sixteen(struct records *records, const struct line_memory *memory,
                        struct memory_record record)
{
    bool is_one_word = memory->second.start == memory->second.end;
    const char *middle = is_one_word ? second_half(&memory->value) : memory->value.end;
    uint64_t upper = memory->is_known ? number_between(memory->value.start, middle) : 0;
    record.size_bytes = 8;
    record.value = is_one_word ? number_between(middle, memory->value.end)
                               : number_between(memory->second.start, memory->second.end);
    record.is_known = true;
    if (!push_access(records, &record))
        return false;
    record.address += 8;
    record.value = upper;
    record.is_known = memory->is_known;
    return push_access(records, &record);
}

static ALWAYS_INLINE bool add_access(struct records *records, const struct line_memory *memory,
                                     uint32_t line, const struct record_options *options)
{
    struct memory_record record = {
        .address = memory->address,
        .line = line,
        .size_bytes = (uint8_t)memory->size_bytes,
        .is_read = memory->is_read,
        .is_known = memory->is_known,
    };
    if (UNLIKELY(memory->size_bytes == 16))
        return add_sixteen(records, memory, record);
    if (memory->is_known)
        record.value = number_between(memory->value.start, memory->value.end);
    if (memory->is_memory_order && memory->is_known && !options->big_endian)
        record.value = memory_bytes_of_number(record.value, record.size_bytes, true);
    return push_access(records, &record);
}

// The sixteen bytes of an LD or ST, the highest address first: '.', '#' or the byte's first digit.
struct drawing {
    const char *bytes[16]; // by address offset
};

static void read_drawing(const struct line_diagram *diagram, struct drawing *drawing)
{
    const char *at = diagram->words;
    for (int i = 15; i >= 0; i--, at += 2) {
        while (*at != '.' && *at != '#' && !(tarmac_char_classes[(uint8_t)*at] & CHAR_HEX))
            at++;
        drawing->bytes[i] = at;
    }
}

static bool is_same_run(const struct drawing *drawing, int a, int b)
{
    char first = *drawing->bytes[a], second = *drawing->bytes[b];
    return first == second || (first != '.' && first != '#' && second != '.' && second != '#');
}

// The runs of a drawing from the high end down; known ones in pieces of at most eight bytes.
static bool add_diagram(struct records *records, const struct line_diagram *diagram, uint32_t line,
                        const struct record_options *options)
{
    struct drawing drawing;
    read_drawing(diagram, &drawing);
    for (int high = 15; high >= 0;) {
        char first = *drawing.bytes[high];
        int low = high, most = first == '#' ? 16 : 8;
        while (low > 0 && high - low + 1 < most && is_same_run(&drawing, high, low - 1))
            low--;
        unsigned size = (unsigned)(high - low + 1);
        struct memory_record record = {
            .address = diagram->address + (uint64_t)low,
            .line = line,
            .size_bytes = (uint8_t)size,
            .is_read = diagram->is_read,
            .is_known = first != '#',
        };
        for (int i = high; i >= low && record.is_known; i--)
            record.value = record.value << 8 | hex_sixteen(drawing.bytes[i], 2);
        if (options->big_endian && record.is_known)
            record.value = memory_bytes_of_number(record.value, size, true);
        if (first != '.' && !push_access(records, &record))
            return false;
        high = low - 1;
    }
    return true;
}

bool records_add_line(struct records *records, const struct tarmac_line *line, uint32_t line_number,
                      enum flow_state flow, const struct record_options *options)
{
    switch (line->kind) {
    case LINE_REGISTER:
        return add_register(records, &line->reg, line_number, flow, options);
    case LINE_MEMORY:
        return add_access(records, &line->memory, line_number, options);
    case LINE_DIAGRAM:
        return add_diagram(records, &line->diagram, line_number, options);
    case LINE_NOTHING:
    case LINE_INSTRUCTION:
    case LINE_EXCEPTION:
    case LINE_TEXT:
        return true;
    }
    return true;
}

bool records_add_instruction(struct records *records, const struct tarmac_line *line,
                             uint32_t line_number, const char *chunk, const char *start,
                             const char *end)
{
    const struct line_instruction *instruction = &line->instruction;
    const char *text = instruction->disassembly;
    if (UNLIKELY(!VEC_ROOM(&records->instructions, 1)))
        return false;
    records->instructions.items[records->instructions.count++] = (struct instruction_record){
        .address = instruction->address,
        .line = line_number,
        .encoding = instruction->encoding,
        .position = (uint32_t)(start - chunk),
        .text = (uint32_t)(text - chunk),
        .text_bytes = (uint32_t)(end - text),
        .is_aarch64 = instruction->isa == ISA_AARCH64,
        .is_executed = instruction->executed,
    };
    return true;
}
