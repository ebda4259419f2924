#include "trace/riscv/dv_csv.h"

#include "arch/riscv/control.h"
#include "arch/riscv/registers.h"
#include "trace/riscv/log_line.h"

enum { PC, INSTR, GPR, CSR, BINARY, MODE, FIELDS };

static const char header[] = "pc,instr,gpr,csr,binary,";

// The fields up to the mode, none of which is quoted. False: there are fewer, or they are not those
// of an instruction.
static bool find_fields(const char *start, const char *end, struct text_span fields[FIELDS])
{
    const char *at = start;
    for (size_t i = 0; i < FIELDS; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            return false;
        fields[i] = (struct text_span){at, comma};
        at = comma + 1;
    }
    for (size_t i = PC; i <= BINARY; i += BINARY - PC) {
        const char *digit = fields[i].start;
        while (digit < fields[i].end && (line_char_classes[(uint8_t)*digit] & CHAR_HEX))
            digit++;
        const size_t length = log_length_of(fields[i]);
        if (digit != fields[i].end || (length != 4 && length != 8 && length != 16))
            return false;
    }
    return true;
}

// Where the records of a line go on behind `at`: at the next register, if there is one.
static void end_record(struct log_line *log, const char *at)
{
    const char *end = log->end, *comma = at;
    log->columns->is_particular = true; // numbers stand behind the record that they belong to
    while (comma < end && *comma == ',' && comma + 1 < end && comma[1] == ',')
        comma++;
    const char *field = comma < end ? comma + 1 : end, *behind = field;
    while (behind < end && *behind != ',' && *behind != ';')
        behind++;
    const bool goes_on = comma < end && memchr(field, ':', (size_t)(behind - field)) != NULL;
    log->columns->goes_on = goes_on;
    log->columns->read_end = goes_on ? comma : end;
}

static bool read_instruction(struct log_line *log, const struct text_span fields[FIELDS])
{
    struct line_instruction *instruction = &log->line->instruction;
    const struct text_span pc = fields[PC];
    log_begin_instruction(log, instruction);
    log->columns->address = pc;
    log->columns->encoding = fields[BINARY];
    if (log_length_of(pc) < 8)
        return log_line_fail(log, pc.start, "expected a PC of 8 or 16 digits");
    instruction->isa = (enum isa_state)(
        log_length_of(pc) == 8 || (log->how->dialect & RISCV_IS_32) ? RISCV_32 : RISCV_64);
    instruction->address = instruction->isa == (enum isa_state)RISCV_32
                               ? (uint32_t)log_number_of(pc)
                               : log_number_of(pc);
    if (log_length_of(fields[BINARY]) > ENCODING_DIGITS)
        log->columns->encoding.start = log->columns->encoding.end - ENCODING_DIGITS;
    instruction->encoding = (uint32_t)log_number_of(log->columns->encoding);
    instruction->size_bytes = riscv_size_bytes(instruction->encoding);
    if (log_length_of(fields[MODE]) == 1 && *fields[MODE].start >= '0' &&
        *fields[MODE].start <= '3')
        instruction->bank = (enum sp_bank)(MODE_SHARED + (*fields[MODE].start - '0'));
    log_sum_up(log, instruction);
    instruction->disassembly = fields[MODE].end + 1;
    end_record(log, fields[INSTR].end);
    return true;
}

// ",a5:0000000000000600", ";c768_mstatus:8000000a00006000".
static bool read_register(struct log_line *log)
{
    const char *name = log->at + 1, *colon = name;
    unsigned number;
    while (colon < log->end && *colon != ':')
        colon++;
    const size_t length = (size_t)(colon - name);
    struct text_span value;
    log->at = colon + (colon < log->end);
    if (!log_take_digits(log, &value) || (log->at < log->end && *log->at != ',' && *log->at != ';'))
        return log_line_fail(log, log->at, "expected the value of a register");
    const char *behind = log->at;
    bool is_read;
    if (riscv_abi_x(name, length, &number)) {
        is_read = log_set_x(log, number, value);
    } else if (riscv_abi_f(name, length, &number)) {
        is_read = log_set_f(log, number, value);
    } else {
        const char *plain = *name == 'c' ? log_skip_digits(name + 1, colon) : name;
        plain = plain > name + 1 && *plain == '_' ? plain + 1 : name;
        is_read = log_length_of(value) <= 16 &&
                  log_set_named(log, (struct text_span){plain, colon}, value);
        if (!is_read && log_length_of(value) > 16)
            return log_line_fail(log, value.start, "expected a value of at most 16 digits");
    }
    if (is_read)
        end_record(log, behind);
    return is_read;
}

static bool ends_in_record(const char *start, const char *end)
{
    (void)start, (void)end;
    return false;
}

bool dv_csv_study(const char *start, const char *end, const struct reading_options *how,
                  struct line_context *context, struct trace_line *line, struct text_fault *fault,
                  struct line_columns *columns)
{
    struct log_line log;
    struct text_span fields[FIELDS];
    log_line_begin(&log, start, end, how, context, line, fault, columns);
    const bool is_read = context->address_column == LINE_GOES_ON ? read_register(&log)
                         : find_fields(start, end, fields)       ? read_instruction(&log, fields)
                         : log_begins(start, end, header)        ? log_set_nothing(&log)
                                                          : log_read_other(&log, ends_in_record);
    if (!is_read)
        return false;
    context->address_column = columns->goes_on ? LINE_GOES_ON : LINE_NO_COLUMN;
    return true;
}

bool dv_csv_is_record(const char *start, const char *end)
{
    struct text_span fields[FIELDS];
    return find_fields(start, end, fields);
}

bool dv_csv_begins_event(uint32_t dialect, const char *start, const char *end)
{
    (void)dialect;
    return dv_csv_is_record(start, end);
}
