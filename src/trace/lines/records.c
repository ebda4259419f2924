#include "trace/lines/records.h"

#include "base/limits.h"
#include "simd/text.h"

#include <stdlib.h>

void records_reset(struct records *records)
{
    records->registers.count = records->accesses.count = records->instructions.count = 0;
    records->named.count = 0;
    records->vector_bytes = records->seen_vector_bytes = 0;
    records->readings_differ = records->readings_differ_in_aarch64 = false;
    records->has_unsettled = false;
    memset(records->unsettled, 0, sizeof records->unsettled);
}

void records_free(struct records *records)
{
    free(records->registers.items);
    free(records->named.items);
    free(records->accesses.items);
    free(records->instructions.items);
    *records = (struct records){0};
}

// --- Registers -----------------------------------------------------------------------------------

// Adds the bytes that a value updates from `offset` of the register space on, cell by cell.
static bool push_bytes(struct records *records, uint64_t offset, const uint8_t *values,
                       const uint8_t *effects, size_t count, uint32_t line, enum record_state state)
{
    for (size_t at = 0; at < count;) {
        uint64_t cell = (offset + at) / 8;
        if (cell >= REGISTER_CELLS)
            return true;
        struct register_record record = {0, line, (uint16_t)cell, 0, (uint8_t)state};
        struct register_record unknown = record;
        unknown.cell |= REGISTER_VALUE_UNKNOWN;
        for (unsigned byte = (unsigned)((offset + at) % 8); byte < 8 && at < count; byte++, at++) {
            record.value |= effects[at] == BYTE_KNOWN ? (uint64_t)values[at] << (8 * byte) : 0;
            record.mask |= (uint8_t)((effects[at] == BYTE_KNOWN) << byte);
            unknown.mask |= (uint8_t)((effects[at] == BYTE_UNKNOWN) << byte);
        }
        if ((record.mask && !records_push_register(records, &record)) ||
            (unknown.mask && !records_push_register(records, &unknown)))
            return false;
        if (state == RECORD_OF_Z && (record.mask || unknown.mask))
            records->vector_bytes =
                (uint32_t)u64_max(records->vector_bytes, records_vector_bytes((uint32_t)cell));
    }
    return true;
}

// The place of a value in one instruction set state.
struct register_target {
    uint64_t offset;      // in the register space
    size_t cleared_bytes; // bytes up to this size, after the value, become zero
    enum record_state state;
};

// In AArch64, a write to w, b, h, s or d clears the rest of x, or of v (Arm ARM, B1.2.1), and a
// short value of lr, fp or sp is that of the whole register. The reference leaves the old bytes.
static size_t cleared_bytes(const struct line_register *reg)
{
    if (reg->size_bytes != reg->name.size_bytes)
        return 0; // a bit range
    return reg->name.layout >= LAYOUT_D && reg->name.layout <= LAYOUT_B ? 16 : 8;
}

// A z, or a part of one.
static ALWAYS_INLINE bool is_z(const struct line_register *reg)
{
    return reg->name.size_bytes == REGISTER_BYTES_Z;
}

// Sets the one or two targets that are possible with `flow`, and returns their number.
static ALWAYS_INLINE unsigned find_targets(struct records *records, const struct line_register *reg,
                                           enum flow_state flow,
                                           const struct record_options *options,
                                           struct register_target targets[2])
{
    unsigned count = 0;
    if (LIKELY(reg->name.layout == LAYOUT_FIXED && !reg->name.is_w)) {
        targets[0] = (struct register_target){reg->name.offset + reg->first_byte, 0,
                                              is_z(reg) ? RECORD_OF_Z : RECORD_IN_ANY_STATE};
        return 1;
    }
    if (flow != FLOW_AARCH64)
        targets[count++] =
            (struct register_target){register_offset(&reg->name, false), 0, RECORD_IN_AARCH32};
    if (flow != FLOW_AARCH32) {
        *(flow == FLOW_UNKNOWN ? &records->readings_differ_in_aarch64 : &records->readings_differ) =
            true;
        size_t cleared = options->reading == READING_TRUE ? cleared_bytes(reg) : 0;
        targets[count++] =
            (struct register_target){register_offset(&reg->name, true), cleared, RECORD_IN_AARCH64};
    }
    for (unsigned i = 0; i < count; i++) {
        targets[i].offset += reg->first_byte;
        targets[i].state = flow == FLOW_UNKNOWN ? targets[i].state : RECORD_IN_ANY_STATE;
    }
    return count;
}

static NEVER_INLINE bool add_decoded(struct records *records, const struct line_register *reg,
                                     uint32_t line, const struct register_target *targets,
                                     unsigned target_count)
{
    uint8_t values[LIMIT_LINE_VALUE_BYTES], effects[LIMIT_LINE_VALUE_BYTES];
    size_t count = line_register_bytes(reg, values, effects, sizeof values);
    count = count < sizeof values ? count : sizeof values;
    bool is_predicate = reg->name.kind == REGISTER_OPEN_SIZE &&
                        targets[0].offset >= REGISTER_OFFSET_PREDICATES &&
                        targets[0].offset < REGISTER_OFFSET_PSR;
    if (is_z(reg) || is_predicate) {
        size_t bytes = (reg->first_byte + count) * (is_predicate ? 8 : 1);
        bytes = (bytes + REGISTER_BYTES_V - 1) / REGISTER_BYTES_V * REGISTER_BYTES_V;
        bytes = (size_t)u64_min(bytes, REGISTER_BYTES_Z);
        records->seen_vector_bytes = (uint32_t)u64_max(records->seen_vector_bytes, bytes);
    }
    for (unsigned i = 0; i < target_count; i++) {
        for (; count < targets[i].cleared_bytes; count++) {
            values[count] = 0;
            effects[count] = BYTE_KNOWN;
        }
        if (!push_bytes(records, targets[i].offset, values, effects, count, line, targets[i].state))
            return false;
    }
    return true;
}

// A value of up to sixteen bytes, lowest word first.
struct register_value {
    uint64_t words[2];
};

// Reads the value of nearly every register line: all bytes in one word, with its digits adjacent or
// in groups of eight or sixteen.
static ALWAYS_INLINE bool whole_value(const struct line_register *reg, struct register_value *value)
{
    const char *at = reg->value_start;
    size_t length = (size_t)(reg->value_end - at), digits = 2 * (size_t)reg->size_bytes;
    if (UNLIKELY(!reg->is_plain || length < digits))
        return false;
    if (LIKELY(length == digits && digits <= 16)) {
        *value = (struct register_value){{hex_sixteen(at, digits), 0}};
        return true;
    }
    if (digits != 32)
        return false;
    if (length == 33 && at[16] == '_') {
        *value = (struct register_value){{hex_sixteen(at + 17, 16), hex_sixteen(at, 16)}};
        return true;
    }
    if (length == 35 && at[8] == '_' && at[17] == '_' && at[26] == '_') {
        value->words[0] = (uint64_t)hex_eight(at + 18) << 32 | hex_eight(at + 27);
        value->words[1] = (uint64_t)hex_eight(at) << 32 | hex_eight(at + 9);
        return true;
    }
    *value = (struct register_value){{hex_sixteen(at + 16, 16), hex_sixteen(at, 16)}};
    return length == 32;
}

// Like push_bytes, for a complete value in two cells, in one cell, or in a part of one.
static ALWAYS_INLINE bool push_value(struct records *records, const struct register_target *target,
                                     const struct register_value *value, size_t size_bytes,
                                     uint32_t line)
{
    size_t bytes = u64_max(size_bytes, target->cleared_bytes), shift = target->offset % 8;
    struct register_record record = {
        .value = value->words[0] << (8 * shift),
        .line = line,
        .cell = (uint16_t)(target->offset / 8),
        .mask = (uint8_t)(bytes < 8 ? ((1u << bytes) - 1) << shift : UINT8_MAX),
        .state = (uint8_t)target->state,
    };
    if (LIKELY(bytes <= 8))
        return records_push_register(records, &record);
    struct register_record upper = record;
    upper.value = value->words[1];
    upper.cell++;
    return records_push_register(records, &record) && records_push_register(records, &upper);
}

static ALWAYS_INLINE bool fits_cells(const struct register_target *target, size_t size_bytes)
{
    size_t bytes = u64_max(size_bytes, target->cleared_bytes), shift = target->offset % 8;
    return (shift == 0 || shift + bytes <= 8) && target->offset / 8 + 1 < REGISTER_CELLS;
}

// Where the lower half of a value of sixteen bytes begins; 0: it has another form.
static size_t lower_half(const struct line_register *reg)
{
    size_t length = (size_t)(reg->value_end - reg->value_start);
    if (length == 32)
        return 16;
    return length == 33 && reg->value_start[16] == '_' ? 17 : 0;
}

struct register_part records_part_of(const struct line_register *reg)
{
    uint64_t offset = reg->name.offset + reg->first_byte;
    size_t digits = (size_t)(reg->value_end - reg->value_start);
    unsigned shift = (unsigned)(offset % 8), size_bytes = reg->size_bytes;
    struct register_part part = {.cell = (uint16_t)(offset / 8), .shift = (uint8_t)shift};
    if (!reg->is_plain || reg->name.layout != LAYOUT_FIXED || reg->name.is_w || is_z(reg) ||
        offset / 8 + 1 >= REGISTER_CELLS)
        return part;
    if (size_bytes == 16 && shift == 0 && (part.lower = (uint8_t)lower_half(reg)) != 0)
        part.mask = UINT8_MAX;
    else if (size_bytes <= 8 - shift && digits == 2 * (size_t)size_bytes)
        part.mask = (uint8_t)(((1u << size_bytes) - 1) << shift);
    return part;
}

static NEVER_INLINE bool add_to_cells(struct records *records, const struct line_register *reg,
                                      uint32_t line, enum flow_state flow,
                                      const struct record_options *options)
{
    struct register_target targets[2];
    struct register_value value;
    unsigned count = find_targets(records, reg, flow, options, targets);
    bool is_whole = !is_z(reg) && whole_value(reg, &value);
    for (unsigned i = 0; i < count; i++)
        is_whole &= fits_cells(&targets[i], reg->size_bytes);
    if (UNLIKELY(!is_whole))
        return add_decoded(records, reg, line, targets, count);
    for (unsigned i = 0; i < count; i++) {
        if (!push_value(records, &targets[i], &value, reg->size_bytes, line))
            return false;
    }
    return true;
}

bool records_add_register(struct records *records, const struct line_register *reg, uint32_t line,
                          enum flow_state flow, const struct record_options *options)
{
    struct register_part part = records_part_of(reg);
    if (UNLIKELY(!part.mask || part.lower))
        return add_to_cells(records, reg, line, flow, options);
    uint64_t value = hex_sixteen(reg->value_start, 2 * (size_t)reg->size_bytes);
    const struct register_record record = records_of_part(part, value, line);
    return records_push_register(records, &record);
}

// Registers of AArch64 have banks by exception level.
static enum flow_state flow_of_bank(enum sp_bank bank)
{
    return bank <= SP_BANK_EL3 ? FLOW_AARCH64 : FLOW_AARCH32;
}

bool records_add_banked(struct records *records, const struct line_register *reg, uint32_t line,
                        enum flow_state flow, enum sp_bank mode,
                        const struct record_options *options)
{
    const enum sp_bank bank = (enum sp_bank)reg->name.bank;
    if (options->reading == READING_TTU || bank >= SP_BANK_NONE)
        return records_add_register(records, reg, line, flow, options);
    const enum flow_state own_flow = flow_of_bank(bank);
    const size_t first = records->registers.count;
    const uint64_t cell = register_offset(&reg->name, own_flow == FLOW_AARCH64) / 8;
    if (flow != FLOW_UNKNOWN && !bank_is_in_use((unsigned)cell, bank, mode)) {
        records->readings_differ = true;
        return true;
    }
    if (!records_add_register(records, reg, line, own_flow, options))
        return false;
    for (size_t i = first; i < records->registers.count && flow == FLOW_UNKNOWN; i++) {
        records->registers.items[i].state = (uint8_t)(RECORD_OF_BANK + (unsigned)bank);
        records->has_unsettled = true;
        records->unsettled[bank] |= cell < 32 ? UINT32_C(1) << cell : 0;
    }
    return true;
}

bool records_miss_bank(const struct records *records, enum sp_bank mode)
{
    for (unsigned bank = 0; bank < SP_BANK_NONE && records->has_unsettled; bank++) {
        for (unsigned cell = 0; cell < 32; cell++) {
            if (records->unsettled[bank] >> cell & 1 &&
                !bank_is_in_use(cell, (enum sp_bank)bank, mode))
                return true;
        }
    }
    return false;
}

// --- Registers of a name of their own ------------------------------------------------------------

static struct named_register first_met(const struct line_register *reg, uint32_t line,
                                       uint32_t position)
{
    struct named_register item = {.line = line, .position = position, .number = NO_REGISTER_NAME};
    memcpy(item.name, reg->spelled, reg->spelled_length);
    return item;
}

// The name's number in the chunk. NO_REGISTER_NAME: it is not stored; or, if *has_memory is false,
// there is no memory.
static uint32_t number_of_name(struct chunk_names *names, const struct line_register *reg,
                               uint32_t line, uint32_t position, bool *has_memory)
{
    const char *text = reg->spelled;
    size_t length = reg->spelled_length;
    if (LIKELY(names->last < names->names.items.count)) {
        const char *last = names->names.items.items[names->last].name;
        if (memcmp(last, text, length) == 0 && last[length] == 0)
            return names->last;
    }
    uint32_t number = register_names_find(&names->names, text, length);
    if (LIKELY(number != NO_REGISTER_NAME))
        return names->last = number;
    bool is_known =
        names->known && register_names_find(names->known, text, length) != NO_REGISTER_NAME;
    if (!is_known && names->new_count == LIMIT_NAMED_REGISTERS) {
        if (!names->is_cut)
            names->first_refused = first_met(reg, line, position);
        names->is_cut = true;
        names->names.refused_writes++;
        return NO_REGISTER_NAME;
    }
    number = register_names_add(&names->names, text, length);
    *has_memory = number != NO_REGISTER_NAME;
    if (*has_memory) {
        names->names.items.items[number] = first_met(reg, line, position);
        names->new_count += !is_known;
    }
    return number;
}

// The size with which a value of so many bytes is shown: 1, 2, 4, 8 and so on.
static uint32_t shown_bytes(size_t size_bytes)
{
    uint32_t bytes = 1;
    while (bytes < size_bytes)
        bytes *= 2;
    return bytes;
}

static bool push_named(struct records *records, const struct named_record *record)
{
    if (!record->mask)
        return true;
    if (!VEC_ROOM(&records->named, 1))
        return false;
    records->named.items[records->named.count++] = *record;
    return true;
}

// Adds the bytes of a value from byte `start` of the register on, word by word.
static bool push_words(struct records *records, struct named_record record, size_t start,
                       const uint8_t *values, const uint8_t *effects, size_t count)
{
    for (size_t at = 0; at < count;) {
        record.word = (uint8_t)((start + at) / 8);
        record.value = record.mask = 0;
        record.is_unknown = false;
        struct named_record unknown = record;
        unknown.is_unknown = true;
        for (unsigned byte = (unsigned)((start + at) % 8); byte < 8 && at < count; byte++, at++) {
            record.value |= effects[at] == BYTE_KNOWN ? (uint64_t)values[at] << (8 * byte) : 0;
            record.mask |= (uint8_t)((effects[at] == BYTE_KNOWN) << byte);
            unknown.mask |= (uint8_t)((effects[at] == BYTE_UNKNOWN) << byte);
        }
        if (!push_named(records, &record) || !push_named(records, &unknown))
            return false;
    }
    return true;
}

static NEVER_INLINE bool add_named_bytes(struct records *records, const struct line_register *reg,
                                         const struct named_record *record)
{
    enum { BYTES = LIMIT_NAMED_REGISTER_BYTES };
    uint8_t values[BYTES], effects[BYTES];
    struct named_register *item = &records->names->names.items.items[record->name];
    size_t start = reg->first_byte, count = line_register_bytes(reg, values, effects, BYTES);
    if (start + count > BYTES)
        return true;
    item->size_bytes = (uint32_t)u64_max(item->size_bytes, shown_bytes(start + count));
    // A value that is shorter than others is that of the whole register, up to the next word.
    bool is_whole = !reg->is_range && count && effects[count - 1] != BYTE_KEPT;
    for (; is_whole && count % 8; count++) {
        values[count] = 0;
        effects[count] = BYTE_KNOWN;
    }
    return push_words(records, *record, start, values, effects, count);
}

bool records_add_named(struct records *records, const struct line_register *reg, uint32_t line,
                       uint32_t position)
{
    struct register_value value;
    bool has_memory = true;
    if (!records->names || !reg->spelled_length)
        return true;
    struct named_record record = {.line = line};
    record.name = number_of_name(records->names, reg, line, position, &has_memory);
    if (record.name == NO_REGISTER_NAME)
        return has_memory;
    struct named_register *item = &records->names->names.items.items[record.name];
    item->write_count++;
    if (reg->is_range || reg->size_bytes > 8 || reg->has_unknown || !whole_value(reg, &value))
        return add_named_bytes(records, reg, &record);
    item->size_bytes = (uint32_t)u64_max(item->size_bytes, shown_bytes(reg->size_bytes));
    record.value = value.words[0];
    record.mask = UINT8_MAX;
    return push_named(records, &record);
}

// --- Memory --------------------------------------------------------------------------------------

static ALWAYS_INLINE bool push_access(struct records *records, const struct memory_record *record)
{
    if (UNLIKELY(!VEC_ROOM(&records->accesses, 1)))
        return false;
    records->accesses.items[records->accesses.count++] = *record;
    return true;
}

// Whether there is an underscore among eight hex digits and underscores: only these have both bits
// 6 and 4 set.
static ALWAYS_INLINE bool has_underscore(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return (word & word << 2 & UINT64_C(0x4040404040404040)) != 0;
}

// The number in [start, end), ignoring underscores.
static uint64_t number_between(const char *start, const char *end)
{
    uint64_t number = 0;
    if (end - start == 8 && !has_underscore(start))
        return hex_eight(start);
    if (end - start == 17 && start[8] == '_' && !has_underscore(start) &&
        !has_underscore(start + 9))
        return (uint64_t)hex_eight(start) << 32 | hex_eight(start + 9);
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

// Adds the upper and the lower eight bytes of an access of sixteen: two words, or one of 32 digits.
static bool add_sixteen(struct records *records, const struct line_memory *memory,
                        struct memory_record record)
{
    bool is_one_word = memory->second.start == memory->second.end;
    record.size_bytes = 8;
    if (is_one_word && !memory->is_known) {
        record.is_known = false;
        if (!push_access(records, &record))
            return false;
        record.address += 8;
        return push_access(records, &record);
    }
    const char *middle = is_one_word ? second_half(&memory->value) : memory->value.end;
    uint64_t upper = memory->is_known ? number_between(memory->value.start, middle) : 0;
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

// Adds an access of eight bytes in two words, the one at the lower address first.
static bool add_two_words(struct records *records, const struct line_memory *memory,
                          struct memory_record record)
{
    record.size_bytes = 4;
    record.value = number_between(memory->value.start, memory->value.end);
    if (!push_access(records, &record))
        return false;
    record.address += 4;
    record.value = number_between(memory->second.start, memory->second.end);
    return push_access(records, &record);
}

// The number in the last sixteen digits of [start, *end), ignoring underscores and blanks. Sets
// *end to where they begin.
static uint64_t take_sixteen(const char *start, const char **end)
{
    uint64_t number = 0;
    const char *at = *end;
    for (unsigned digits = 0; digits < 16 && at > start;) {
        if (line_char_classes[(uint8_t) * --at] & CHAR_HEX)
            number |= hex_sixteen(at, 1) << 4 * digits++;
    }
    *end = at;
    return number;
}

// Adds an access of a vector as accesses of eight bytes, beginning with the last digits.
static bool add_wide(struct records *records, const struct line_memory *memory,
                     struct memory_record record)
{
    const char *end = memory->value.end;
    record.size_bytes = 8;
    for (uint32_t done = 0; done < memory->size_bytes; done += 8, record.address += 8) {
        record.value = memory->is_known ? take_sixteen(memory->value.start, &end) : 0;
        if (!push_access(records, &record))
            return false;
    }
    return true;
}

// Adds an access with a value of which some digits are not known, in runs of bytes that are known
// or not, from the highest byte down.
static NEVER_INLINE bool add_partial(struct records *records, const struct line_memory *memory,
                                     struct memory_record record, bool big_endian)
{
    const bool is_upward = big_endian || memory->is_memory_order;
    const char *at = memory->value.start;
    const unsigned size_bytes = memory->size_bytes;
    unsigned low = size_bytes;
    for (unsigned run = 0; low; low -= run) {
        record.value = run = 0;
        while (run < low && run < 8) {
            char digits[2];
            const char *next = at;
            for (unsigned i = 0; i < 2; next++) {
                if (*next != '_')
                    digits[i++] = *next;
            }
            bool is_known = line_char_classes[(uint8_t)digits[0]] & CHAR_HEX &&
                            line_char_classes[(uint8_t)digits[1]] & CHAR_HEX;
            if (run && is_known != record.is_known)
                break;
            record.is_known = is_known;
            record.value = is_known ? record.value << 8 | hex_sixteen(digits, 2) : 0;
            at = next;
            run++;
        }
        record.size_bytes = (uint8_t)run;
        record.address = memory->address + (is_upward ? size_bytes - low : low - run);
        if (is_upward && !big_endian)
            record.value = memory_bytes_of_number(record.value, run, true);
        if (!push_access(records, &record))
            return false;
    }
    return true;
}

bool records_add_access(struct records *records, const struct line_memory *memory, uint32_t line,
                        enum sp_bank mode, const struct record_options *options)
{
    struct memory_record record = {
        .address = memory->address,
        .to_place = memory->to_place,
        .mode = (uint8_t)mode,
        .line = line,
        .size_bytes = (uint8_t)memory->size_bytes,
        .is_read = memory->is_read,
        .is_known = memory->is_known,
    };
    if (UNLIKELY(memory->to_place != 0))
        records->readings_differ = true;
    if (UNLIKELY(memory->is_partial))
        return add_partial(records, memory, record, options->big_endian);
    if (UNLIKELY(memory->size_bytes == 16))
        return add_sixteen(records, memory, record);
    if (UNLIKELY(memory->size_bytes > 16))
        return add_wide(records, memory, record);
    if (UNLIKELY(memory->second.start != memory->second.end))
        return add_two_words(records, memory, record);
    if (memory->is_known)
        record.value = number_between(memory->value.start, memory->value.end);
    if (memory->is_memory_order && memory->is_known && !options->big_endian)
        record.value = memory_bytes_of_number(record.value, record.size_bytes, true);
    return push_access(records, &record);
}

// Adds a run of bytes [low, low + size) of a drawing. In its value, if known, bytes of higher
// addresses are in higher places.
static bool add_run(struct records *records, const struct line_diagram *diagram, uint32_t line,
                    unsigned low, unsigned size, const uint64_t *value, bool big_endian)
{
    struct memory_record record = {
        .address = diagram->address + low,
        .line = line,
        .size_bytes = (uint8_t)size,
        .is_read = diagram->is_read,
        .is_known = value != NULL,
    };
    if (value)
        record.value = big_endian ? memory_bytes_of_number(*value, size, true) : *value;
    return push_access(records, &record);
}

// The form of nearly all drawings: four words of four bytes, separated by one blank, in which each
// byte is either known or not touched.
#define DRAWING_BYTES 35

// The bytes of a drawing, by address, and a bit for each that is known.
struct drawn {
    uint64_t halves[2];
    unsigned known;
};

// Reads eight digits or dots, two for each byte. False: it contains other characters.
static ALWAYS_INLINE bool read_drawn_word(const char *text, uint64_t *value, unsigned *known)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    // Dots have neither bit 4 nor bit 6, like hashes, which have bit 0.
    uint64_t dots = ~(word >> 4 | word >> 6) & UINT64_C(0x0101010101010101);
    uint64_t pairs = ~dots & UINT64_C(0x0001000100010001);
    *value = hex_of_word(word);
    *known = (unsigned)(pairs * UINT64_C(0x0008000400020001) >> 48) & 15; // first bit highest
    return !(dots & word) && !((dots ^ dots >> 8) & UINT64_C(0x0001000100010001));
}

static bool read_drawn(const struct line_diagram *diagram, struct drawn *drawn)
{
    const char *text = diagram->words;
    uint64_t words[4];
    unsigned known[4];
    if (diagram->words_end - text != DRAWING_BYTES || text[8] != ' ' || text[17] != ' ' ||
        text[26] != ' ')
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (!read_drawn_word(text + 9 * i, &words[i], &known[i]))
            return false;
    }
    drawn->halves[0] = words[2] << 32 | words[3];
    drawn->halves[1] = words[0] << 32 | words[1];
    drawn->known = known[0] << 12 | known[1] << 8 | known[2] << 4 | known[3];
    return true;
}

// The bytes [low, low + size) as a number.
static uint64_t drawn_number(const struct drawn *drawn, unsigned low, unsigned size)
{
    uint64_t number = drawn->halves[low / 8] >> 8 * (low % 8);
    if (low % 8 && low < 8)
        number |= drawn->halves[1] << (64 - 8 * low);
    return size < 8 ? number & ((UINT64_C(1) << 8 * size) - 1) : number;
}

// Adds the runs of a drawing from the high end down, in shards of at most eight bytes.
static bool add_drawn(struct records *records, const struct line_diagram *diagram, uint32_t line,
                      const struct drawn *drawn, bool big_endian)
{
    for (unsigned left = drawn->known, low; left; left &= (1u << low) - 1) {
        unsigned end = 32 - (unsigned)__builtin_clz(left), gaps = ~left & ((1u << end) - 1);
        low = gaps ? 32 - (unsigned)__builtin_clz(gaps) : 0;
        low = end - low > 8 ? end - 8 : low;
        uint64_t value = drawn_number(drawn, low, end - low);
        if (!add_run(records, diagram, line, low, end - low, &value, big_endian))
            return false;
    }
    return true;
}

// The sixteen bytes of an LD or ST, the highest address first: '.', '#' or the byte's first digit.
struct drawing {
    const char *bytes[16]; // by address offset
};

static bool is_same_run(const struct drawing *drawing, int a, int b)
{
    char first = *drawing->bytes[a], second = *drawing->bytes[b];
    return first == second || (first != '.' && first != '#' && second != '.' && second != '#');
}

// The same for any drawing; unknown runs are not divided.
static NEVER_INLINE bool add_drawing(struct records *records, const struct line_diagram *diagram,
                                     uint32_t line, bool big_endian)
{
    struct drawing drawing;
    const char *at = diagram->words;
    for (int i = 15; i >= 0; i--, at += 2) {
        while (*at != '.' && *at != '#' && !(line_char_classes[(uint8_t)*at] & CHAR_HEX))
            at++;
        drawing.bytes[i] = at;
    }
    for (int high = 15; high >= 0;) {
        char first = *drawing.bytes[high];
        int low = high, most = first == '#' ? 16 : 8;
        while (low > 0 && high - low + 1 < most && is_same_run(&drawing, high, low - 1))
            low--;
        uint64_t value = 0;
        for (int i = high; i >= low && first != '#'; i--)
            value = value << 8 | hex_sixteen(drawing.bytes[i], 2);
        if (first != '.' &&
            !add_run(records, diagram, line, (unsigned)low, (unsigned)(high - low + 1),
                     first == '#' ? NULL : &value, big_endian))
            return false;
        high = low - 1;
    }
    return true;
}

bool records_add_diagram(struct records *records, const struct line_diagram *diagram, uint32_t line,
                         const struct record_options *options)
{
    struct drawn drawn;
    if (LIKELY(read_drawn(diagram, &drawn)))
        return add_drawn(records, diagram, line, &drawn, options->big_endian);
    return add_drawing(records, diagram, line, options->big_endian);
}

bool records_add_instruction(struct records *records, const struct line_instruction *instruction,
                             uint32_t line_number, const char *chunk, const char *start,
                             const char *end)
{
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
