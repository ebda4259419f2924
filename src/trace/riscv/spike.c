#include "trace/riscv/spike.h"

#include "arch/riscv/control.h"
#include "arch/riscv/registers.h"
#include "base/limits.h"
#include "flow/register_names.h"
#include "simd/text.h"
#include "trace/lines/marks.h"

#include <stdio.h>

// A line as far as it was read.
struct reader {
    const char *start, *at, *end;
    const struct reading_options *how;
    struct trace_line *line;
    struct text_fault *fault;
    struct line_columns *columns;
};

static bool fail(struct reader *reader, const char *at, const char *text)
{
    *reader->fault =
        (struct text_fault){.column = (uint32_t)(at - reader->start), .length = at < reader->end};
    snprintf(reader->fault->text, sizeof reader->fault->text, "%s", text);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

static bool begins(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

// The digits of "0x0285" at the reader's place, which moves behind them. False: there are none.
static bool take_hex(struct reader *reader, struct text_span *digits)
{
    if (!begins(reader->at, reader->end, "0x"))
        return false;
    const char *at = digits->start = reader->at + 2;
    while (at < reader->end && (line_char_classes[(uint8_t)*at] & CHAR_HEX))
        at++;
    digits->end = reader->at = at;
    return at > digits->start;
}

static size_t length_of(struct text_span span)
{
    return (size_t)(span.end - span.start);
}

static uint64_t number_of(struct text_span digits)
{
    const size_t length = length_of(digits);
    return length <= 16 ? hex_sixteen(digits.start, length) : hex_sixteen(digits.end - 16, 16);
}

// Where a record ends: at the end of its line, or before the blank with which the next one begins.
static bool end_record(struct reader *reader)
{
    const bool is_end = reader->at == reader->end;
    if (!is_end && *reader->at != ' ')
        return fail(reader, reader->at, "expected a blank after a number");
    reader->columns->goes_on = !is_end;
    reader->columns->read_end = is_end ? reader->end : reader->at;
    return true;
}

// --- What lines begin with -----------------------------------------------------------------------

// "3 0x": the privilege before a commit.
static bool begins_commit(const char *at, const char *end)
{
    return end - at > 4 && *at >= '0' && *at <= '3' && memcmp(at + 1, " 0x", 3) == 0;
}

// "ENV_CALL_MMODE exception @ 0x0000000080000388 (0x00000073)".
static bool is_rtl_exception(const char *at, const char *end)
{
    const char *name = at;
    while (at < end && ((*at >= 'A' && *at <= 'Z') || *at == '_'))
        at++;
    return at > name && begins(at, end, " exception @ 0x");
}

enum spike_line spike_line_of(const char *start, const char *end, const char **at,
                              struct text_span *hart)
{
    *at = start;
    *hart = (struct text_span){NULL, NULL};
    if (begins_commit(start, end))
        return SPIKE_COMMIT;
    if (!begins(start, end, "core "))
        return is_rtl_exception(start, end) ? SPIKE_RTL_EXCEPTION : SPIKE_OTHER;
    hart->start = skip_blanks(start + 4, end);
    if (begins(hart->start, end, "INTERRUPT ")) // as RTL marks the first instruction of a handler
        hart->start = skip_blanks(hart->start + strlen("INTERRUPT "), end);
    hart->end = skip_digits(hart->start, end);
    if (hart->end == hart->start || !begins(hart->end, end, ": "))
        return SPIKE_OTHER;
    *at = hart->end + 2;
    if (begins_commit(*at, end))
        return SPIKE_COMMIT;
    if (begins(*at, end, "0x"))
        return SPIKE_INSTRUCTION;
    if (begins(*at, end, ">>>>"))
        return SPIKE_SYMBOL;
    if (begins(*at, end, "exception "))
        return SPIKE_EXCEPTION;
    if (begins(*at, end, "Executed "))
        return SPIKE_EXECUTED;
    const char *value = skip_blanks(*at, end);
    return value > *at && begins(value, end, "tval ") ? SPIKE_VALUE : SPIKE_DAMAGED;
}

// --- Instructions --------------------------------------------------------------------------------

// A PC: 8 digits with 32 bits, 16 with 64. With 32 bits, old versions and RTL write 16 digits, too,
// of which the first eight extend the sign.
static bool take_pc(struct reader *reader, struct line_instruction *instruction)
{
    struct line_columns *columns = reader->columns;
    struct text_span pc;
    const char *from = reader->at;
    if (!take_hex(reader, &pc) || (length_of(pc) != 8 && length_of(pc) != 16))
        return fail(reader, from, "expected a PC of 8 or 16 digits");
    const bool is_32 = length_of(pc) == 8 || (reader->how->dialect & RISCV_IS_32);
    if (is_32 && length_of(pc) == 16) {
        columns->others[columns->other_count++] = (struct text_span){pc.start, pc.start + 8};
        pc.start += 8;
    }
    columns->address = pc;
    instruction->address = number_of(pc);
    instruction->isa = (enum isa_state)(is_32 ? RISCV_32 : RISCV_64);
    return true;
}

// " (0x0285)".
static bool take_code(struct reader *reader, struct line_instruction *instruction)
{
    struct text_span *code = &reader->columns->encoding;
    const char *from = reader->at;
    if (!begins(reader->at, reader->end, " ("))
        return fail(reader, from, "expected the code of an instruction");
    reader->at += 2;
    const bool has_code = take_hex(reader, code);
    const size_t digits = has_code ? length_of(*code) : 0;
    if (!has_code || (digits < 8 && digits != 4) || digits > 16 || reader->at == reader->end ||
        *reader->at != ')')
        return fail(reader, from, "expected the code of an instruction");
    reader->at++;
    if (digits > ENCODING_DIGITS) { // longer than what any processor has
        code->start = code->end - ENCODING_DIGITS;
        reader->columns->is_particular = true;
    }
    instruction->encoding = (uint32_t)number_of(*code);
    instruction->size_bytes = (uint32_t)digits / 2;
    return true;
}

static void begin_instruction(struct reader *reader, struct line_instruction *instruction)
{
    reader->line->kind = LINE_INSTRUCTION;
    reader->line->looks_like_instruction = true;
    instruction->executed = instruction->fetched = true;
    instruction->bank = SP_BANK_NONE;
    instruction->summary.encoding_column = 0;
}

static void sum_up(struct reader *reader, struct line_instruction *instruction)
{
    instruction->summary.encoding_column =
        (uint32_t)(reader->columns->encoding.start - reader->start);
    instruction->summary = mark_summary_of(instruction);
}

static bool read_commit(struct reader *reader)
{
    struct line_instruction *instruction = &reader->line->instruction;
    begin_instruction(reader, instruction);
    instruction->bank = (enum sp_bank)(MODE_SHARED + (*reader->at - '0'));
    reader->at += 2;
    if (!take_pc(reader, instruction) || !take_code(reader, instruction))
        return false;
    sum_up(reader, instruction);
    instruction->disassembly = reader->at;
    reader->columns->has_no_text = true;
    return end_record(reader);
}

// A line of the instruction log, whose code has eight digits whatever its size: that follows from
// its last digit.
static bool read_instruction(struct reader *reader)
{
    struct line_instruction *instruction = &reader->line->instruction;
    const bool is_text = reader->how->dialect & RISCV_HAS_COMMITS;
    begin_instruction(reader, instruction);
    reader->line->looks_like_instruction = !is_text;
    if (!take_pc(reader, instruction) || !take_code(reader, instruction))
        return false;
    if (reader->at == reader->end || *reader->at != ' ' ||
        (reader->at + 1 == reader->end && !is_text))
        return fail(reader, reader->at, "expected the text of an instruction");
    instruction->disassembly = reader->at + 1;
    instruction->size_bytes = (instruction->encoding & 3) == 3 ? 4 : 2;
    sum_up(reader, instruction);
    reader->columns->read_end = instruction->disassembly + !is_text;
    if (is_text) {
        reader->line->kind = LINE_TEXT;
        if (begins(reader->start, reader->end, "core   INTERRUPT ")) { // its handler begins here
            reader->line->kind = LINE_EXCEPTION;
            reader->line->handler = instruction->address;
            reader->columns->others[0] = (struct text_span){
                reader->start + strlen("core   "), reader->start + strlen("core   INTERRUPT")};
            reader->columns->is_particular = true;
        }
    } else {
        reader->columns->size_digit = reader->columns->encoding.end - 1;
    }
    return true;
}

// --- The records behind an instruction -----------------------------------------------------------

static bool begin_register(struct reader *reader, struct text_span digits)
{
    struct line_register *reg = &reader->line->reg;
    if (length_of(digits) % 2)
        return fail(reader, digits.start, "expected whole bytes");
    *reg = (struct line_register){
        .name = {.kind = REGISTER_ORDINARY, .layout = LAYOUT_FIXED, .bank = SP_BANK_NONE},
        .value_start = digits.start,
        .value_end = digits.end,
        .is_plain = true,
        .size_bytes = (uint32_t)length_of(digits) / 2,
    };
    return true;
}

static bool set_x(struct reader *reader, unsigned number, struct text_span digits)
{
    struct line_register *reg = &reader->line->reg;
    const size_t count = length_of(digits);
    if (count != 8 && count != 16)
        return fail(reader, digits.start, "expected a value of 8 or 16 digits");
    reg->name.offset = riscv_offset_x(number, count == 8 ? RISCV_32 : RISCV_64);
    reg->name.size_bytes = reg->size_bytes;
    // Where a log was cut, a value of 64 bits may seem to be one of 32.
    reg->is_short = count == 8 && !(reader->how->dialect & RISCV_IS_32);
    reader->line->kind = number ? LINE_REGISTER : LINE_NOTHING;
    return true;
}

static bool set_f(struct reader *reader, unsigned number, struct text_span digits)
{
    struct line_register *reg = &reader->line->reg;
    const size_t count = length_of(digits);
    if (count != 4 && count != 8 && count != 16 && count != 32)
        return fail(reader, digits.start, "expected a value of 8, 16 or 32 digits");
    if (count == 32) { // the lower half of a value of extension Q
        reg->value_start += 16;
        reg->size_bytes = 8;
        reader->line->has_long_value = reader->columns->is_particular = true;
    }
    reg->name.offset = riscv_offset_f(number);
    reg->name.size_bytes = 8;
    reg->is_short = count < 16;
    reader->line->kind = LINE_REGISTER;
    return true;
}

// Whole registers, of a size that the hart has: stored as the part of the largest that it is.
static bool set_v(struct reader *reader, unsigned number, struct text_span digits)
{
    struct line_register *reg = &reader->line->reg;
    const size_t bytes = length_of(digits) / 2;
    if (bytes > RISCV_BYTES_V) {
        reader->line->kind = LINE_NOTHING;
        reader->line->has_long_value = reader->columns->is_particular = true;
        return true;
    }
    reg->name.kind = REGISTER_OPEN_SIZE;
    reg->name.offset = riscv_offset_v(number);
    reg->name.size_bytes = RISCV_BYTES_V;
    reg->is_short = bytes % 4 != 0;
    reader->line->kind = LINE_REGISTER;
    return true;
}

// " x5  0x0000000000000001", " x 5 0x...", " f14 0x...", " v2  0x...".
static bool read_register(struct reader *reader)
{
    const char file = *reader->at++;
    const char *from = reader->at, *digits = skip_blanks(from, reader->end);
    const char *digits_end = skip_digits(digits, reader->end);
    unsigned number = 0;
    for (const char *at = digits; at < digits_end && at - digits < 2; at++)
        number = number * 10 + (unsigned)(*at - '0');
    if (digits - from > 1 || digits_end - digits < 1 || digits_end - digits > 2 || number > 31)
        return fail(reader, from, "expected the number of a register");
    struct text_span value;
    reader->at = skip_blanks(digits_end, reader->end);
    if (reader->at == digits_end || !take_hex(reader, &value))
        return fail(reader, reader->at, "expected the value of a register");
    return begin_register(reader, value) &&
           (file == 'x'   ? set_x(reader, number, value)
            : file == 'f' ? set_f(reader, number, value)
                          : set_v(reader, number, value)) &&
           end_record(reader);
}

// A register that is stored under its name.
static bool set_named(struct reader *reader, struct text_span name, struct text_span value)
{
    const size_t length = length_of(name);
    if (!begin_register(reader, value))
        return false;
    reader->line->kind = LINE_NAMED_REGISTER;
    reader->line->reg.spelled = name.start;
    reader->line->reg.spelled_length = register_name_fits(length) ? (uint8_t)length : 0;
    if (length_of(value) > 16)
        reader->columns->is_particular = true;
    return true;
}

// " c768_mstatus 0x8000000a00006000"; "c123_unknown".
static bool read_csr(struct reader *reader)
{
    const char *from = skip_digits(reader->at + 1, reader->end);
    struct text_span name = {from + (from < reader->end), NULL}, value;
    name.end = name.start;
    while (name.end < reader->end && *name.end != ' ')
        name.end++;
    reader->at = skip_blanks(name.end, reader->end);
    if (from == reader->end || *from != '_' || name.start == name.end ||
        !take_hex(reader, &value) || length_of(value) > 16)
        return fail(reader, reader->at, "expected the value of a control and status register");
    return set_named(reader, name, value) && end_record(reader);
}

// " mem 0x0000000080001018", a load, whose value is in its register; with a value, a store.
static bool read_access(struct reader *reader)
{
    struct line_memory *memory = &reader->line->memory;
    struct text_span *address = &reader->columns->address, value = {NULL, NULL};
    reader->at += strlen("mem ");
    if (!take_hex(reader, address) || length_of(*address) > 16)
        return fail(reader, reader->at, "expected an address");
    const bool is_store = begins(reader->at, reader->end, " 0x");
    reader->at += is_store;
    if (is_store && (!take_hex(reader, &value) || length_of(value) > 32 ||
                     (length_of(value) % 2 && length_of(value) > 1)))
        return fail(reader, reader->at, "expected a value of whole bytes");
    if (!is_store) { // what would follow the address is the value of a store
        value = (struct text_span){reader->at, reader->at};
        reader->columns->peek_bytes = 2;
    }
    *memory = (struct line_memory){
        .address = number_of(*address),
        .is_read = !is_store,
        .is_known = is_store,
        .is_bare = !is_store || (reader->how->dialect & RISCV_HAS_NO_HARTS),
        .size_bytes = (uint32_t)(length_of(value) + 1) / 2, // old versions: one digit
        .value = value,
        .second = {value.end, value.end},
    };
    reader->line->kind = LINE_MEMORY;
    return end_record(reader);
}

// " e32 m2 l8", " e8 mf4 l3": the type of vectors.
static bool skip_vector_type(struct reader *reader)
{
    const char *at = skip_digits(reader->at + 1, reader->end);
    if (begins(at, reader->end, " m")) {
        at += 2;
        at = skip_digits(at + (at < reader->end && *at == 'f'), reader->end);
        if (begins(at, reader->end, " l")) {
            reader->at = skip_digits(at + 2, reader->end);
            reader->line->kind = LINE_NOTHING;
            return end_record(reader);
        }
    }
    return fail(reader, reader->at, "expected the type of vectors");
}

// ", epc 0x..." behind the name of an exception, or "@ 0x...".
static bool read_epc(struct reader *reader)
{
    static const char epc[] = "epc";
    const struct text_span name = {epc, epc + strlen(epc)};
    struct text_span value;
    reader->at += *reader->at == '@' ? strlen("@ ") : strlen("epc ");
    reader->columns->is_particular = true; // the name does not stand in each line
    if (!take_hex(reader, &value) || length_of(value) > 16)
        return fail(reader, reader->at, "expected an address");
    if ((reader->how->dialect & RISCV_IS_32) && length_of(value) == 16)
        value.start += 8;
    if (!set_named(reader, name, value))
        return false;
    if (begins(reader->at, reader->end, " (0x")) // the code, which says no more
        reader->at = reader->end;
    return end_record(reader);
}

static bool read_rest(struct reader *reader)
{
    const char *at = reader->at = skip_blanks(reader->at, reader->end), *end = reader->end;
    if (at == end) {
        reader->line->kind = LINE_NOTHING;
        return end_record(reader);
    }
    if (*at == 'x' || *at == 'f' || *at == 'v')
        return read_register(reader);
    if (*at == 'c' && at + 1 < end && is_digit(at[1]))
        return read_csr(reader);
    if (begins(at, end, "mem "))
        return read_access(reader);
    if (at + 1 < end && *at == 'e' && is_digit(at[1]))
        return skip_vector_type(reader);
    if (begins(at, end, "epc ") || begins(at, end, "@ "))
        return read_epc(reader);
    return fail(reader, at, "expected a register or an access");
}

// --- Other lines ---------------------------------------------------------------------------------

// "exception interrupt #7, epc 0x000000008000015c".
static bool read_exception(struct reader *reader)
{
    const char *comma = memchr(reader->at, ',', (size_t)(reader->end - reader->at));
    reader->line->kind = LINE_EXCEPTION;
    reader->line->handler = 0;
    if (!comma || !begins(comma, reader->end, ", epc 0x"))
        return fail(reader, comma ? comma : reader->end, "expected the PC of an exception");
    reader->columns->others[0] = (struct text_span){reader->at + strlen("exception "), comma};
    reader->at = comma + 1;
    reader->columns->is_particular = true; // rare, and each with its name
    return end_record(reader);
}

static bool read_rtl_exception(struct reader *reader)
{
    const char *blank = memchr(reader->at, ' ', (size_t)(reader->end - reader->at));
    reader->line->kind = LINE_EXCEPTION;
    reader->columns->others[0] = (struct text_span){reader->at, blank};
    reader->at = blank + strlen(" exception");
    reader->columns->is_particular = true;
    return end_record(reader);
}

// "          tval 0x0000000040000000".
static bool read_value(struct reader *reader)
{
    const char *at = skip_blanks(reader->at, reader->end);
    const struct text_span name = {at, at + strlen("tval")};
    struct text_span value;
    reader->at = name.end + 1;
    if (!take_hex(reader, &value) || length_of(value) > 16)
        return fail(reader, reader->at, "expected the value of an exception");
    return set_named(reader, name, value) && end_record(reader);
}

// "Executed 17 times": the line of an instruction before stands for so many. With commits, each has
// its own line of that.
static bool read_executed(struct reader *reader)
{
    const char *at = reader->at + strlen("Executed "), *end = skip_digits(at, reader->end);
    uint64_t count = 0;
    for (const char *digit = at; digit < end && count < LIMIT_REPEATS; digit++)
        count = count * 10 + (uint64_t)(*digit - '0');
    if (end == at || !begins(end, reader->end, " times"))
        return fail(reader, at, "expected a number of times");
    reader->line->kind = LINE_NOTHING;
    if (!(reader->how->dialect & RISCV_HAS_COMMITS) && count)
        reader->line->repeats = u64_min(count - 1, LIMIT_REPEATS);
    reader->columns->is_particular = true;
    reader->columns->read_end = reader->end;
    return true;
}

// Text of the program, which writes to the same output, or of whatever wrote the file.
static bool read_other(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    reader->line->kind = LINE_NOTHING;
    reader->columns->is_particular = true;
    reader->columns->read_end = reader->columns->end = end;
    while (at < end && (line_char_classes[(uint8_t)*at] & CHAR_SPACE))
        at++;
    if (at == end)
        return true;
    // The beginning of a record behind it was cut, or the text had no line end.
    const char *core = memmem(at, (size_t)(end - at), "core ", strlen("core "));
    struct text_span hart;
    const char *behind;
    if (core && spike_line_of(core, end, &behind, &hart) != SPIKE_OTHER) {
        reader->line->looks_like_instruction = true;
        return fail(reader, at, "other text stands before a record");
    }
    const char *word = at;
    while (at < end && !(line_char_classes[(uint8_t)*at] & CHAR_SPACE) && at - word < 32)
        at++;
    reader->line->note = NOTE_UNKNOWN_EVENT;
    reader->line->note_subject =
        (struct token){.kind = TOKEN_WORD, .first = *word, .start = word, .end = at};
    return true;
}

static bool read_line(struct reader *reader)
{
    struct text_span hart;
    enum spike_line kind = spike_line_of(reader->start, reader->end, &reader->at, &hart);
    reader->columns->first = reader->columns->type = reader->start;
    if (hart.start && kind != SPIKE_OTHER) {
        reader->line->cpu = hart.start;
        reader->line->cpu_length = (uint32_t)length_of(hart);
        reader->columns->type = hart.end - 1; // what follows tells most about the line
    }
    switch (kind) {
    case SPIKE_COMMIT:
        return read_commit(reader);
    case SPIKE_INSTRUCTION:
        return read_instruction(reader);
    case SPIKE_EXCEPTION:
        return read_exception(reader);
    case SPIKE_RTL_EXCEPTION:
        return read_rtl_exception(reader);
    case SPIKE_VALUE:
        return read_value(reader);
    case SPIKE_EXECUTED:
        return read_executed(reader);
    case SPIKE_SYMBOL:
        reader->line->kind = LINE_NOTHING;
        reader->columns->read_end = reader->at + strlen(">>>>");
        return true;
    case SPIKE_DAMAGED:
        reader->line->looks_like_instruction = is_digit(reader->at < reader->end ? *reader->at : 0);
        return fail(reader, reader->at, "expected a record of Spike");
    case SPIKE_OTHER:
        return read_other(reader);
    }
    return false;
}

bool spike_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns)
{
    struct reader reader = {start, start, end, how, line, fault, columns};
    *columns = (struct line_columns){.end = end, .first = start};
    line->note = NOTE_NONE;
    line->time_doubt = TIME_IS_SURE;
    line->unknown_word = (struct text_span){0};
    line->time = context->time;
    line->cpu = NULL;
    line->cpu_length = 0;
    line->looks_like_instruction = false;
    line->is_read = line->readings_differ = line->has_long_value = line->has_physical = false;
    line->handler = line->repeats = 0;
    if (!(context->address_column == LINE_GOES_ON ? read_rest(&reader) : read_line(&reader)))
        return false;
    context->address_column = columns->goes_on ? LINE_GOES_ON : LINE_NO_COLUMN;
    return true;
}
