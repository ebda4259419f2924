#include "trace/riscv/spike.h"

#include "arch/riscv/registers.h"
#include "base/characters.h"
#include "base/limits.h"
#include "trace/riscv/log_line.h"

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
    while (at < end && (is_capital(*at) || *at == '_'))
        at++;
    return at > name && log_begins(at, end, " exception @ 0x");
}

enum spike_line spike_line_of(const char *start, const char *end, const char **at,
                              struct text_span *hart)
{
    *at = start;
    *hart = (struct text_span){NULL, NULL};
    if (begins_commit(start, end))
        return SPIKE_COMMIT;
    struct text_span merged = {NULL, NULL};
    if (!log_begins(start, end, "core ")) { // the name of a file's hart may stand before it
        const char *behind = log_skip_hart(start, end, &merged);
        if (!behind || !log_begins(behind, end, "core "))
            return is_rtl_exception(start, end) ? SPIKE_RTL_EXCEPTION : SPIKE_OTHER;
        start = behind;
    }
    hart->start = log_skip_blanks(start + 4, end);
    if (log_begins(hart->start, end,
                   "INTERRUPT ")) // as RTL marks the first instruction of a handler
        hart->start = log_skip_blanks(hart->start + strlen("INTERRUPT "), end);
    hart->end = log_skip_digits(hart->start, end);
    if (hart->end == hart->start || !log_begins(hart->end, end, ": "))
        return SPIKE_OTHER;
    *at = hart->end + 2;
    if (merged.start)
        *hart = merged;
    if (begins_commit(*at, end))
        return SPIKE_COMMIT;
    if (log_begins(*at, end, "0x"))
        return SPIKE_INSTRUCTION;
    if (log_begins(*at, end, ">>>>"))
        return SPIKE_SYMBOL;
    if (log_begins(*at, end, "exception "))
        return SPIKE_EXCEPTION;
    if (log_begins(*at, end, "Executed "))
        return SPIKE_EXECUTED;
    const char *value = log_skip_blanks(*at, end);
    return value > *at && log_begins(value, end, "tval ") ? SPIKE_VALUE : SPIKE_DAMAGED;
}

// --- Instructions --------------------------------------------------------------------------------

// A PC: 8 digits with 32 bits, 16 with 64. With 32 bits, old versions and RTL write 16 digits, too,
// of which the first eight extend the sign.
static bool take_pc(struct log_line *log, struct line_instruction *instruction)
{
    struct line_columns *columns = log->columns;
    struct text_span pc;
    const char *from = log->at;
    if (!log_take_hex(log, &pc) || (log_length_of(pc) != 8 && log_length_of(pc) != 16))
        return log_line_fail(log, from, "expected a PC of 8 or 16 digits");
    const bool is_32 = log_length_of(pc) == 8 || (log->how->dialect & RISCV_IS_32);
    if (is_32 && log_length_of(pc) == 16) {
        columns->others[columns->other_count++] = (struct text_span){pc.start, pc.start + 8};
        pc.start += 8;
    }
    columns->address = pc;
    instruction->address = log_number_of(pc);
    instruction->isa = (enum isa_state)(is_32 ? RISCV_32 : RISCV_64);
    return true;
}

// " (0x0285)".
static bool take_code(struct log_line *log, struct line_instruction *instruction)
{
    struct text_span *code = &log->columns->encoding;
    const char *from = log->at;
    if (!log_begins(log->at, log->end, " ("))
        return log_line_fail(log, from, "expected the code of an instruction");
    log->at += 2;
    const bool has_code = log_take_hex(log, code);
    const size_t digits = has_code ? log_length_of(*code) : 0;
    if (!has_code || (digits < 8 && digits != 4) || digits > 16 || log->at == log->end ||
        *log->at != ')')
        return log_line_fail(log, from, "expected the code of an instruction");
    log->at++;
    if (digits > ENCODING_DIGITS) { // longer than what any processor has
        code->start = code->end - ENCODING_DIGITS;
        log->columns->is_particular = true;
    }
    instruction->encoding = (uint32_t)log_number_of(*code);
    instruction->size_bytes = (uint32_t)digits / 2;
    return true;
}

static bool read_commit(struct log_line *log)
{
    struct line_instruction *instruction = &log->line->instruction;
    log_begin_instruction(log, instruction);
    instruction->bank = (enum sp_bank)(MODE_SHARED + (*log->at - '0'));
    log->at += 2;
    if (!take_pc(log, instruction) || !take_code(log, instruction))
        return false;
    log_sum_up(log, instruction);
    instruction->disassembly = log->at;
    log->columns->has_no_text = true;
    return log_line_end_record(log);
}

// A line of the instruction log, whose code has eight digits whatever its size: that follows from
// its last digit.
static bool read_instruction(struct log_line *log)
{
    struct line_instruction *instruction = &log->line->instruction;
    const bool is_text = log->how->dialect & RISCV_HAS_COMMITS;
    log_begin_instruction(log, instruction);
    log->line->looks_like_instruction = !is_text;
    if (!take_pc(log, instruction) || !take_code(log, instruction))
        return false;
    if (log->at == log->end || *log->at != ' ' || (log->at + 1 == log->end && !is_text))
        return log_line_fail(log, log->at, "expected the text of an instruction");
    instruction->disassembly = log->at + 1;
    instruction->size_bytes = (instruction->encoding & 3) == 3 ? 4 : 2;
    log_sum_up(log, instruction);
    log->columns->read_end = instruction->disassembly + !is_text;
    if (is_text) {
        log->line->kind = LINE_TEXT;
        const size_t length = strlen("INTERRUPT");
        const char *word = memmem(log->start, (size_t)(log->columns->address.start - log->start),
                                  "INTERRUPT", length);
        if (word) { // its handler begins here
            log->line->kind = LINE_EXCEPTION;
            log->line->handler = instruction->address;
            log->columns->others[0] = (struct text_span){word, word + length};
            log->columns->is_particular = true;
        }
    } else {
        log->columns->size_digit = log->columns->encoding.end - 1;
    }
    return true;
}

// --- The records behind an instruction -----------------------------------------------------------

// " x5  0x0000000000000001", " x 5 0x...", " f14 0x...", " v2  0x...".
static bool read_register(struct log_line *log)
{
    const char file = *log->at++;
    const char *from = log->at, *digits = log_skip_blanks(from, log->end);
    const char *digits_end = log_skip_digits(digits, log->end);
    unsigned number = 0;
    for (const char *at = digits; at < digits_end && at - digits < 2; at++)
        number = number * 10 + (unsigned)(*at - '0');
    if (digits - from > 1 || digits_end - digits < 1 || digits_end - digits > 2 || number > 31)
        return log_line_fail(log, from, "expected the number of a register");
    struct text_span value;
    log->at = log_skip_blanks(digits_end, log->end);
    if (log->at == digits_end || !log_take_hex(log, &value))
        return log_line_fail(log, log->at, "expected the value of a register");
    if (!(file == 'x'   ? log_set_x(log, number, value)
          : file == 'f' ? log_set_f(log, number, value)
                        : log_set_v(log, number, value)))
        return false;
    if (file != 'v' && digits == from)
        log_set_number(log, file, digits);
    return log_line_end_record(log);
}

// " c768_mstatus 0x8000000a00006000"; "c123_unknown".
static bool read_csr(struct log_line *log)
{
    const char *from = log_skip_digits(log->at + 1, log->end);
    struct text_span name = {from + (from < log->end), NULL}, value;
    name.end = name.start;
    while (name.end < log->end && *name.end != ' ')
        name.end++;
    log->at = log_skip_blanks(name.end, log->end);
    if (from == log->end || *from != '_' || name.start == name.end || !log_take_hex(log, &value) ||
        log_length_of(value) > 16)
        return log_line_fail(log, log->at, "expected the value of a control and status register");
    return log_set_named(log, name, value) && log_line_end_record(log);
}

// " mem 0x0000000080001018", a load, whose value is in its register; with a value, a store.
static bool read_access(struct log_line *log)
{
    struct line_memory *memory = &log->line->memory;
    struct text_span *address = &log->columns->address, value = {NULL, NULL};
    log->at += strlen("mem ");
    if (!log_take_hex(log, address) || log_length_of(*address) > 16)
        return log_line_fail(log, log->at, "expected an address");
    const bool is_store = log_begins(log->at, log->end, " 0x");
    log->at += is_store;
    if (is_store && (!log_take_hex(log, &value) || log_length_of(value) > 32 ||
                     (log_length_of(value) % 2 && log_length_of(value) > 1)))
        return log_line_fail(log, log->at, "expected a value of whole bytes");
    if (!is_store) { // what would follow the address is the value of a store
        value = (struct text_span){log->at, log->at};
        log->columns->peek_bytes = 2;
    }
    *memory = (struct line_memory){
        .address = log_number_of(*address),
        .is_read = !is_store,
        .is_known = is_store,
        .is_bare = !is_store || (log->how->dialect & RISCV_HAS_NO_HARTS),
        .size_bytes = (uint32_t)(log_length_of(value) + 1) / 2, // old versions: one digit
        .value = value,
        .second = {value.end, value.end},
    };
    log->line->kind = LINE_MEMORY;
    return log_line_end_record(log);
}

// " e32 m2 l8", " e8 mf4 l3": the type of vectors.
static bool skip_vector_type(struct log_line *log)
{
    const char *at = log_skip_digits(log->at + 1, log->end);
    if (log_begins(at, log->end, " m")) {
        at += 2;
        at = log_skip_digits(at + (at < log->end && *at == 'f'), log->end);
        if (log_begins(at, log->end, " l")) {
            log->at = log_skip_digits(at + 2, log->end);
            log->line->kind = LINE_NOTHING;
            return log_line_end_record(log);
        }
    }
    return log_line_fail(log, log->at, "expected the type of vectors");
}

// ", epc 0x..." behind the name of an exception, or "@ 0x...".
static bool read_epc(struct log_line *log)
{
    static const char epc[] = "epc";
    const struct text_span name = {epc, epc + strlen(epc)};
    struct text_span value;
    log->at += *log->at == '@' ? strlen("@ ") : strlen("epc ");
    log->columns->is_particular = true; // the name does not stand in each line
    if (!log_take_hex(log, &value) || log_length_of(value) > 16)
        return log_line_fail(log, log->at, "expected an address");
    if ((log->how->dialect & RISCV_IS_32) && log_length_of(value) == 16)
        value.start += 8;
    if (!log_set_named(log, name, value))
        return false;
    if (log_begins(log->at, log->end, " (0x")) // the code, which says no more
        log->at = log->end;
    return log_line_end_record(log);
}

static bool read_rest(struct log_line *log)
{
    const char *at = log->at = log_skip_blanks(log->at, log->end), *end = log->end;
    if (at == end) {
        log->line->kind = LINE_NOTHING;
        return log_line_end_record(log);
    }
    if (*at == 'x' || *at == 'f' || *at == 'v')
        return read_register(log);
    if (*at == 'c' && at + 1 < end && is_digit(at[1]))
        return read_csr(log);
    if (log_begins(at, end, "mem "))
        return read_access(log);
    if (at + 1 < end && *at == 'e' && is_digit(at[1]))
        return skip_vector_type(log);
    if (log_begins(at, end, "epc ") || log_begins(at, end, "@ "))
        return read_epc(log);
    return log_line_fail(log, at, "expected a register or an access");
}

// --- Other lines ---------------------------------------------------------------------------------

// "exception interrupt #7, epc 0x000000008000015c".
static bool read_exception(struct log_line *log)
{
    const char *comma = memchr(log->at, ',', (size_t)(log->end - log->at));
    log->line->kind = LINE_EXCEPTION;
    log->line->handler = 0;
    if (!comma || !log_begins(comma, log->end, ", epc 0x"))
        return log_line_fail(log, comma ? comma : log->end, "expected the PC of an exception");
    log->columns->others[0] = (struct text_span){log->at + strlen("exception "), comma};
    log->at = comma + 1;
    log->columns->is_particular = true; // rare, and each with its name
    return log_line_end_record(log);
}

static bool read_rtl_exception(struct log_line *log)
{
    const char *blank = memchr(log->at, ' ', (size_t)(log->end - log->at));
    log->line->kind = LINE_EXCEPTION;
    log->columns->others[0] = (struct text_span){log->at, blank};
    log->at = blank + strlen(" exception");
    log->columns->is_particular = true;
    return log_line_end_record(log);
}

// "          tval 0x0000000040000000".
static bool read_value(struct log_line *log)
{
    const char *at = log_skip_blanks(log->at, log->end);
    const struct text_span name = {at, at + strlen("tval")};
    struct text_span value;
    log->at = name.end + 1;
    if (!log_take_hex(log, &value) || log_length_of(value) > 16)
        return log_line_fail(log, log->at, "expected the value of an exception");
    return log_set_named(log, name, value) && log_line_end_record(log);
}

// "Executed 17 times": the line of an instruction before stands for so many. With commits, each has
// its own line of that.
static bool read_executed(struct log_line *log)
{
    const char *at = log->at + strlen("Executed "), *end = log_skip_digits(at, log->end);
    uint64_t count = 0;
    for (const char *digit = at; digit < end && count < LIMIT_REPEATS; digit++)
        count = count * 10 + (uint64_t)(*digit - '0');
    if (end == at || !log_begins(end, log->end, " times"))
        return log_line_fail(log, at, "expected a number of times");
    log->line->kind = LINE_NOTHING;
    if (!(log->how->dialect & RISCV_HAS_COMMITS) && count)
        log->line->repeats = u64_min(count - 1, LIMIT_REPEATS);
    log->columns->is_particular = true;
    log->columns->read_end = log->end;
    return true;
}

// Whether the end of a line is a record of Spike.
static bool ends_in_record(const char *start, const char *end)
{
    const char *core = memmem(start, (size_t)(end - start), "core ", strlen("core ")), *behind;
    struct text_span hart;
    return core && spike_line_of(core, end, &behind, &hart) != SPIKE_OTHER;
}

static bool read_line(struct log_line *log)
{
    struct text_span hart;
    enum spike_line kind = spike_line_of(log->start, log->end, &log->at, &hart);
    log->columns->first = log->columns->type = log->start;
    if (hart.start && kind != SPIKE_OTHER) {
        log->line->cpu = hart.start;
        log->line->cpu_length = (uint32_t)log_length_of(hart);
        log->columns->type = log->at - 3; // what follows tells most about the line
    }
    switch (kind) {
    case SPIKE_COMMIT:
        return read_commit(log);
    case SPIKE_INSTRUCTION:
        return read_instruction(log);
    case SPIKE_EXCEPTION:
        return read_exception(log);
    case SPIKE_RTL_EXCEPTION:
        return read_rtl_exception(log);
    case SPIKE_VALUE:
        return read_value(log);
    case SPIKE_EXECUTED:
        return read_executed(log);
    case SPIKE_SYMBOL:
        log->line->kind = LINE_NOTHING;
        log->columns->read_end = log->at + strlen(">>>>");
        return true;
    case SPIKE_DAMAGED:
        log->line->looks_like_instruction = is_digit(log->at < log->end ? *log->at : 0);
        return log_line_fail(log, log->at, "expected a record of Spike");
    case SPIKE_OTHER: // of which CVA6's first line warns that it found no symbol
        return log_begins(log->start, log->end, "*** [rvfi_tracer] ")
                   ? log_set_nothing(log)
                   : log_read_other(log, ends_in_record);
    }
    return false;
}

bool spike_study(const char *start, const char *end, const struct reading_options *how,
                 struct line_context *context, struct trace_line *line, struct text_fault *fault,
                 struct line_columns *columns)
{
    struct log_line log;
    log_line_begin(&log, start, end, how, context, line, fault, columns);
    if (!(context->address_column == LINE_GOES_ON ? read_rest(&log) : read_line(&log)))
        return false;
    context->address_column = columns->goes_on ? LINE_GOES_ON : LINE_NO_COLUMN;
    return true;
}

// --- The form ------------------------------------------------------------------------------------

bool spike_is_record(const char *start, const char *end)
{
    const char *at;
    struct text_span hart;
    const enum spike_line kind = spike_line_of(start, end, &at, &hart);
    return kind == SPIKE_COMMIT || kind == SPIKE_INSTRUCTION;
}

// With commits and the instruction log, the line of that begins an event.
bool spike_begins_event(uint32_t dialect, const char *start, const char *end)
{
    const char *at;
    struct text_span hart;
    const enum spike_line kind = spike_line_of(start, end, &at, &hart);
    if (!(dialect & (RISCV_HAS_COMMITS | RISCV_HAS_INSTRUCTIONS)))
        return kind == SPIKE_COMMIT || kind == SPIKE_INSTRUCTION;
    return kind == (dialect & RISCV_HAS_INSTRUCTIONS ? SPIKE_INSTRUCTION : SPIKE_COMMIT);
}

uint32_t spike_dialect_of(const char *start, const char *end, const struct trace_line *line)
{
    const char *at;
    struct text_span hart;
    if (spike_line_of(start, end, &at, &hart) == SPIKE_COMMIT)
        return RISCV_HAS_COMMITS | (line->cpu ? 0 : RISCV_HAS_NO_HARTS);
    const bool is_rtl = memmem(start, (size_t)(end - start), " DASM(", 6) != NULL;
    return RISCV_HAS_INSTRUCTIONS | (is_rtl ? RISCV_IS_RTL : 0);
}

// The digits of a register's value among the records of a line: " x5  0x0000000080000000". NULL:
// it is not among them.
struct text_span spike_value(struct text_span records, char file, unsigned number, bool is_before)
{
    const char *at = records.start, *end = records.end;
    (void)is_before; // which is not shown
    while (at < end) {
        while (at < end && *at == ' ')
            at++;
        const char *word = at;
        while (at < end && *at != ' ')
            at++;
        if (at - word == 3 && memcmp(word, "mem", 3) == 0)
            break; // registers stand before accesses
        if (at == word || *word != file)
            continue;
        const char *digit = word + 1;
        if (digit == at) { // "x 5"
            while (at < end && *at == ' ')
                at++;
            digit = at;
            while (at < end && *at != ' ')
                at++;
        }
        unsigned found = 0;
        const char *digits = digit;
        for (; digit < at && is_digit(*digit) && digit - digits < 2; digit++)
            found = found * 10 + (unsigned)(*digit - '0');
        if (digit == digits || digit != at || found != number)
            continue;
        while (at < end && *at == ' ')
            at++;
        const char *value = at;
        while (at < end && *at != ' ')
            at++;
        if (at - value > 2 && value[0] == '0' && value[1] == 'x')
            return (struct text_span){value + 2, at};
    }
    return (struct text_span){NULL, NULL};
}

struct line_stamp spike_line_stamp(const char *start, const char *end,
                                   const struct line_prefix *prefix)
{
    const char *at, *behind;
    struct text_span hart;
    struct line_stamp stamp = {0};
    (void)prefix;
    if (spike_line_of(start, end, &at, &hart) != SPIKE_INSTRUCTION)
        return stamp;
    stamp.has_time = stamp.is_counted = true;
    behind = log_skip_hart(start, end, &hart);
    stamp.name_length = behind ? (size_t)(behind - 1 - start) : 0;
    return stamp;
}
