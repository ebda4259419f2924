#include "trace/riscv/log_line.h"

#include "arch/riscv/registers.h"
#include "flow/register_names.h"
#include "simd/text.h"
#include "trace/lines/marks.h"

#include <stdio.h>

void log_line_begin(struct log_line *log, const char *start, const char *end,
                    const struct reading_options *how, const struct line_context *context,
                    struct trace_line *line, struct text_fault *fault, struct line_columns *columns)
{
    *log = (struct log_line){start, start, end, how, line, fault, columns};
    *columns = (struct line_columns){.end = end, .first = start};
    line_begin(line, context);
}

bool log_line_fail(struct log_line *log, const char *at, const char *text)
{
    *log->fault =
        (struct text_fault){.column = (uint32_t)(at - log->start), .length = at < log->end};
    snprintf(log->fault->text, sizeof log->fault->text, "%s", text);
    return false;
}

// --- Numbers -------------------------------------------------------------------------------------

bool log_take_digits(struct log_line *log, struct text_span *digits)
{
    const char *at = digits->start = log->at;
    while (at < log->end && (line_char_classes[(uint8_t)*at] & CHAR_HEX))
        at++;
    digits->end = log->at = at;
    return at > digits->start;
}

bool log_take_hex(struct log_line *log, struct text_span *digits)
{
    if (!log_begins(log->at, log->end, "0x"))
        return false;
    log->at += 2;
    return log_take_digits(log, digits);
}

uint64_t log_number_of(struct text_span digits)
{
    const size_t length = log_length_of(digits);
    return length <= 16 ? hex_sixteen(digits.start, length) : hex_sixteen(digits.end - 16, 16);
}

bool log_take_decimal(struct log_line *log, size_t digits_max, uint64_t *number)
{
    const char *from = log->at;
    *number = 0;
    for (; log->at < log->end && is_digit(*log->at); log->at++)
        *number = *number * 10 + (uint64_t)(*log->at - '0');
    return log->at > from && (size_t)(log->at - from) <= digits_max;
}

bool log_line_end_record(struct log_line *log)
{
    const bool is_end = log->at == log->end;
    if (!is_end && *log->at != ' ')
        return log_line_fail(log, log->at, "expected a blank after a number");
    log->columns->goes_on = !is_end;
    log->columns->read_end = is_end ? log->end : log->at;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

void log_begin_instruction(struct log_line *log, struct line_instruction *instruction)
{
    log->line->kind = LINE_INSTRUCTION;
    log->line->looks_like_instruction = true;
    instruction->executed = instruction->fetched = true;
    instruction->bank = SP_BANK_NONE;
    instruction->summary.encoding_column = 0;
}

void log_sum_up(struct log_line *log, struct line_instruction *instruction)
{
    instruction->summary.encoding_column = (uint32_t)(log->columns->encoding.start - log->start);
    instruction->summary = mark_summary_of(instruction);
}

// --- Registers -----------------------------------------------------------------------------------

static bool begin_register(struct log_line *log, struct text_span digits)
{
    struct line_register *reg = &log->line->reg;
    if (log_length_of(digits) % 2)
        return log_line_fail(log, digits.start, "expected whole bytes");
    *reg = (struct line_register){
        .name = {.kind = REGISTER_ORDINARY, .layout = LAYOUT_FIXED, .bank = SP_BANK_NONE},
        .value_start = digits.start,
        .value_end = digits.end,
        .is_plain = true,
        .size_bytes = (uint32_t)log_length_of(digits) / 2,
    };
    return true;
}

bool log_set_x(struct log_line *log, unsigned number, struct text_span digits)
{
    struct line_register *reg = &log->line->reg;
    const size_t count = log_length_of(digits);
    if (!begin_register(log, digits))
        return false;
    if (count != 8 && count != 16)
        return log_line_fail(log, digits.start, "expected a value of 8 or 16 digits");
    reg->name.offset = riscv_offset_x(number, count == 8 ? RISCV_32 : RISCV_64);
    reg->name.size_bytes = reg->size_bytes;
    // Where a log was cut, a value of 64 bits may seem to be one of 32.
    reg->is_short = count == 8 && !(log->how->dialect & RISCV_IS_32);
    log->line->kind = number ? LINE_REGISTER : LINE_NOTHING;
    return true;
}

bool log_set_f(struct log_line *log, unsigned number, struct text_span digits)
{
    struct line_register *reg = &log->line->reg;
    const size_t count = log_length_of(digits);
    if (!begin_register(log, digits))
        return false;
    if (count != 4 && count != 8 && count != 16 && count != 32)
        return log_line_fail(log, digits.start, "expected a value of 8, 16 or 32 digits");
    if (count == 32) { // the lower half of a value of extension Q
        reg->value_start += 16;
        reg->size_bytes = 8;
        log->line->has_long_value = log->columns->is_particular = true;
    }
    reg->name.offset = riscv_offset_f(number);
    reg->name.size_bytes = 8;
    reg->is_short = count < 16;
    log->line->kind = LINE_REGISTER;
    return true;
}

// Whole registers, of a size that the hart has: stored as the part of the largest that it is.
bool log_set_v(struct log_line *log, unsigned number, struct text_span digits)
{
    struct line_register *reg = &log->line->reg;
    const size_t bytes = log_length_of(digits) / 2;
    if (!begin_register(log, digits))
        return false;
    if (bytes > RISCV_BYTES_V) {
        log->line->kind = LINE_NOTHING;
        log->line->has_long_value = log->columns->is_particular = true;
        return true;
    }
    reg->name.kind = REGISTER_OPEN_SIZE;
    reg->name.offset = riscv_offset_v(number);
    reg->name.size_bytes = RISCV_BYTES_V;
    reg->is_short = bytes % 4 != 0;
    log->line->kind = LINE_REGISTER;
    return true;
}

// The places of riscv_offset_x and riscv_offset_f, but for registers that are not read as the
// others of their file: x0, which is not written, and the two that calls need.
#define CELLS_12 0, 0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
#define CELLS_FROM_15 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
#define EIGHT_FROM(n) (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6, (n) + 7

void log_set_number(struct log_line *log, char file, const char *number)
{
    enum { REST = RISCV_OFFSET_REST / 8, F = RISCV_OFFSET_F / 8 };
    static const struct register_cells x_64 = {{CELLS_12, REST, REST + 1, CELLS_FROM_15, 1, 2}},
                                       x_32 = {{CELLS_12, 2, 1, CELLS_FROM_15, REST, REST + 1}},
                                       f = {{EIGHT_FROM(F), EIGHT_FROM(F + 8), EIGHT_FROM(F + 16),
                                             EIGHT_FROM(F + 24)}};
    const struct register_cells *cells = file == 'f'                      ? &f
                                         : log->line->reg.size_bytes == 4 ? &x_32
                                                                          : &x_64;
    if (cells->of[line_register_number(number)]) {
        log->columns->number = number;
        log->columns->cells = cells;
    }
}

// A register that is stored under its name.
bool log_set_named(struct log_line *log, struct text_span name, struct text_span value)
{
    const size_t length = log_length_of(name);
    if (!begin_register(log, value))
        return false;
    log->line->kind = LINE_NAMED_REGISTER;
    log->line->reg.spelled = name.start;
    log->line->reg.spelled_length = register_name_fits(length) ? (uint8_t)length : 0;
    if (log_length_of(value) > 16)
        log->columns->is_particular = true;
    return true;
}

// --- Other text ----------------------------------------------------------------------------------

bool log_set_nothing(struct log_line *log)
{
    log->line->kind = LINE_NOTHING;
    log->columns->is_particular = true;
    log->columns->read_end = log->columns->end = log->end;
    return true;
}

bool log_read_other(struct log_line *log, bool (*is_record)(const char *start, const char *end))
{
    const char *at = log->at, *end = log->end;
    log_set_nothing(log);
    while (at < end && (line_char_classes[(uint8_t)*at] & CHAR_SPACE))
        at++;
    if (at == end)
        return true;
    if (is_record(at, end)) {
        log->line->looks_like_instruction = true;
        return log_line_fail(log, at, "other text stands before a record");
    }
    const char *word = at;
    while (at < end && !(line_char_classes[(uint8_t)*at] & CHAR_SPACE) && at - word < 32)
        at++;
    log->line->note = NOTE_UNKNOWN_EVENT;
    log->line->note_subject =
        (struct token){.kind = TOKEN_WORD, .first = *word, .start = word, .end = at};
    return true;
}

const char *log_skip_hart(const char *at, const char *end, struct text_span *number)
{
    static const char *const words[] = {"hart", "core", "cpu"};
    const char *word = at;
    bool is_name = false;
    while (at < end && *at != ' ' && *at != '\t' && at - word <= LIMIT_LANE_NAME_BYTES)
        at++;
    if (at == end || *at != ' ' || at == word || !is_digit(at[-1]))
        return NULL;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        is_name |= memmem(word, (size_t)(at - word), words[i], strlen(words[i])) != NULL;
    if (!is_name)
        return NULL;
    *number = (struct text_span){at, at};
    while (number->start > word && is_digit(number->start[-1]))
        number->start--;
    while (number->start + 1 < at && *number->start == '0')
        number->start++;
    return at + 1;
}
