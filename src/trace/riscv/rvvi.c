#include "trace/riscv/rvvi.h"

#include "arch/riscv/registers.h"
#include "trace/riscv/log_line.h"

enum { WORDS = 64 }; // of an element that is left out

// Moves behind blanks and comments. False: the line ends.
static bool skip_space(struct log_line *log)
{
    for (;;) {
        while (log->at < log->end && (*log->at == ' ' || *log->at == '\t'))
            log->at++;
        if (log->at == log->end || *log->at != '\'')
            return log->at < log->end;
        const char *quote = memchr(log->at + 1, '\'', (size_t)(log->end - log->at - 1));
        log->at = quote ? quote + 1 : log->end;
    }
}

static struct text_span take_word(struct log_line *log)
{
    struct text_span word = {log->at, log->at};
    if (!skip_space(log))
        return (struct text_span){log->at, log->at};
    word.start = log->at;
    while (log->at < log->end && *log->at != ' ' && *log->at != '\t')
        log->at++;
    word.end = log->at;
    return word;
}

static bool is_word(struct text_span word, const char *text)
{
    return log_length_of(word) == strlen(text) && memcmp(word.start, text, strlen(text)) == 0;
}

// The digits of a hexadecimal number with or without "0x", which must be a whole word.
static bool take_number(struct log_line *log, size_t digits_max, struct text_span *digits)
{
    if (!skip_space(log))
        return false;
    if (log_begins(log->at, log->end, "0x"))
        log->at += 2;
    return log_take_digits(log, digits) && log_length_of(*digits) <= digits_max &&
           (log->at == log->end || *log->at == ' ' || *log->at == '\t');
}

static bool take_index(struct log_line *log, uint64_t *number)
{
    return skip_space(log) && log_take_decimal(log, 10, number) &&
           (log->at == log->end || *log->at == ' ' || *log->at == '\t');
}

// Where a record ends, before the blank with which the next one begins, if only of a comment.
static bool end_record(struct log_line *log)
{
    const bool is_end = log->at == log->end;
    if (!is_end && *log->at != ' ' && *log->at != '\t')
        return log_line_fail(log, log->at, "expected a blank after a number");
    log->columns->goes_on = !is_end;
    log->columns->read_end = log->at;
    return true;
}

// --- Instructions --------------------------------------------------------------------------------

// "RET 0x0000000080000000 0x00001197", behind the word.
static bool read_retired(struct log_line *log)
{
    struct line_instruction *instruction = &log->line->instruction;
    struct line_columns *columns = log->columns;
    const bool is_32 = log->how->dialect & RISCV_IS_32;
    log_begin_instruction(log, instruction);
    if (!take_number(log, 16, &columns->address))
        return log_line_fail(log, log->at, "expected a PC");
    if (!take_number(log, ENCODING_DIGITS, &columns->encoding))
        return log_line_fail(log, log->at, "expected the code of an instruction");
    if (is_32 && log_length_of(columns->address) > 8) {
        columns->others[columns->other_count++] =
            (struct text_span){columns->address.start, columns->address.end - 8};
        columns->address.start = columns->address.end - 8;
    }
    instruction->address = log_number_of(columns->address);
    instruction->encoding = (uint32_t)log_number_of(columns->encoding);
    instruction->size_bytes = (instruction->encoding & 3) == 3 ? 4 : 2;
    instruction->isa = (enum isa_state)(is_32 ? RISCV_32 : RISCV_64);
    log_sum_up(log, instruction);
    columns->size_digit = columns->encoding.end - 1; // codes may have eight digits always
    instruction->disassembly = log->at;
    columns->has_no_text = true;
    return end_record(log);
}

// "TRAP", before its PC, which is read as the next record.
static bool read_trap(struct log_line *log, struct text_span word)
{
    log->line->kind = LINE_EXCEPTION;
    log->columns->others[0] = word;
    log->columns->is_particular = true;
    return end_record(log);
}

static bool read_trapped_pc(struct log_line *log)
{
    static const char epc[] = "epc";
    const struct text_span name = {epc, epc + strlen(epc)};
    struct text_span value, code;
    log->columns->is_particular = true; // the name does not stand in the line
    if (!take_number(log, 16, &value) || !take_number(log, 16, &code))
        return log_line_fail(log, log->at, "expected a PC and a code");
    if (log_length_of(value) % 2)
        return log_line_fail(log, value.start, "expected whole bytes");
    return log_set_named(log, name, value) && end_record(log);
}

// --- What they write -----------------------------------------------------------------------------

// "X 3 0x0000000080001000": with as many bytes as the register has, whatever the digits are.
static bool read_register(struct log_line *log, char file)
{
    struct line_register *reg = &log->line->reg;
    struct text_span value;
    uint64_t number;
    if (!take_index(log, &number) || number > 31)
        return log_line_fail(log, log->at, "expected the number of a register");
    if (!take_number(log, 2 * RISCV_BYTES_V, &value))
        return log_line_fail(log, log->at, "expected the value of a register");
    if (file == 'v')
        return (log_length_of(value) % 2 == 0 ||
                log_line_fail(log, value.start, "expected whole bytes")) &&
               log_set_v(log, (unsigned)number, value) && end_record(log);
    const uint32_t size_bytes = file == 'x' && (log->how->dialect & RISCV_IS_32) ? 4 : 8;
    if (log_length_of(value) > 2 * size_bytes) {
        if (file == 'f')
            log->line->has_long_value = true;
        log->columns->is_particular = true;
        value.start = value.end - 2 * (ptrdiff_t)size_bytes;
    }
    *reg = (struct line_register){
        .name = {.kind = REGISTER_ORDINARY,
                 .layout = LAYOUT_FIXED,
                 .bank = SP_BANK_NONE,
                 .size_bytes = size_bytes,
                 .offset = file == 'f' ? riscv_offset_f((unsigned)number)
                                       : riscv_offset_x((unsigned)number,
                                                        size_bytes == 4 ? RISCV_32 : RISCV_64)},
        .value_start = value.start,
        .value_end = value.end,
        .is_plain = true,
        .is_short = log_length_of(value) < 2 * size_bytes,
        .size_bytes = size_bytes,
    };
    log->line->kind = file == 'f' || number ? LINE_REGISTER : LINE_NOTHING;
    if (log_length_of(value) < 2 * size_bytes)
        log->columns->is_particular = true;
    return end_record(log);
}

// "C 305 0x0000000080000050": the number is hexadecimal, and the name is not there.
static bool read_csr(struct log_line *log)
{
    static _Thread_local char names[4][RISCV_CSR_NAME_BYTES]; // valid until the record is kept
    static _Thread_local unsigned last;
    struct text_span digits, value;
    if (!take_number(log, 8, &digits) || log_number_of(digits) > 0xfff)
        return log_line_fail(log, log->at, "expected the number of a control and status register");
    if (!take_number(log, 16, &value))
        return log_line_fail(log, log->at, "expected the value of a control and status register");
    char *name = names[last++ % ARRAY_COUNT(names)];
    riscv_csr_name((unsigned)log_number_of(digits), name);
    log->columns->is_particular = true;
    if (log_length_of(value) % 2)
        return log_line_fail(log, value.start, "expected whole bytes");
    return log_set_named(log, (struct text_span){name, name + strlen(name)}, value) &&
           end_record(log);
}

// "MEM D 8 0x0000000080001000 0x0000000080001000 0": a size, a virtual and a physical address, and
// how many words follow.
static bool read_memory(struct log_line *log)
{
    const struct text_span bus = take_word(log);
    struct text_span physical, word;
    uint64_t size_bytes, count;
    if (!take_index(log, &size_bytes) || size_bytes > LINE_ACCESS_BYTES_MAX)
        return log_line_fail(log, log->at, "expected a size");
    if (!take_number(log, 16, &log->columns->address) || !take_number(log, 16, &physical) ||
        !take_index(log, &count))
        return log_line_fail(log, log->at, "expected addresses");
    for (uint64_t words = 0; count && words < 2 * count && words < WORDS; words++) {
        const char *before = log->at;
        word = take_word(log);
        if (words < count || is_word(word, "PT") || (words && log_length_of(word) == 1))
            continue;
        log->at = before; // pairs are counted as one or as two
        break;
    }
    log->columns->others[log->columns->other_count++] = physical;
    log->columns->is_particular = count != 0;
    log->line->memory = (struct line_memory){
        .address = log_number_of(log->columns->address),
        .is_read = true,
        .is_bare = true,
        .size_bytes = (uint32_t)size_bytes,
        .value = {log->at, log->at},
        .second = {log->at, log->at},
    };
    log->line->kind = is_word(bus, "D") ? LINE_MEMORY : LINE_NOTHING;
    return end_record(log);
}

// An element of which nothing is used: its word and so many more.
static bool skip_element(struct log_line *log, size_t words)
{
    while (words-- && log->at < log->end)
        (void)take_word(log);
    log->line->kind = LINE_NOTHING;
    log->columns->is_particular = true;
    return end_record(log);
}

static bool skip_meta(struct log_line *log)
{
    struct text_span count;
    if (!take_number(log, 4, &count) || log_number_of(count) > WORDS)
        return log_line_fail(log, log->at, "expected a number of words");
    return skip_element(log, log_number_of(count));
}

// "HART 0 RET ...": the hart of what follows, with the instruction.
static bool read_hart(struct log_line *log)
{
    uint64_t number;
    if (!take_index(log, &number))
        return log_line_fail(log, log->at, "expected the number of a hart");
    const char *behind = log->at, *digits = behind;
    while (digits > log->start && is_digit(digits[-1]))
        digits--;
    log->line->cpu = digits;
    log->line->cpu_length = (uint32_t)(behind - digits);
    const struct text_span word = take_word(log);
    if (is_word(word, "RET"))
        return read_retired(log);
    if (is_word(word, "TRAP"))
        return read_trap(log, word);
    log->at = behind;
    log->line->kind = LINE_NOTHING;
    log->columns->is_particular = true;
    return end_record(log);
}

static bool read_record(struct log_line *log)
{
    static const struct {
        const char *word;
        size_t words; // behind it
    } skipped[] = {{"MODE", 1},  {"VIRT", 1},  {"DM", 1},      {"NET", 2},
                   {"ISSUE", 1}, {"ORDER", 1}, {"VENDOR", 3},  {"CLK", 1},
                   {"INTR", 1},  {"DEBUG", 1}, {"VERSION", 2}, {"HALT", 1}};
    const struct text_span word = take_word(log);
    struct text_span digits;
    if (is_word(word, "HART"))
        return read_hart(log);
    if (is_word(word, "RET"))
        return read_retired(log);
    if (is_word(word, "TRAP"))
        return read_trap(log, word);
    if (is_word(word, "X") || is_word(word, "F") || is_word(word, "V"))
        return read_register(log, (char)(*word.start | 0x20));
    if (is_word(word, "C"))
        return read_csr(log);
    if (is_word(word, "MEM"))
        return read_memory(log);
    if (is_word(word, "META"))
        return skip_meta(log);
    if (is_word(word, "PARAMS") || is_word(word, "VENDOR") || is_word(word, "\\") ||
        log_length_of(word) == 0)
        return log_set_nothing(log);
    for (size_t i = 0; i < ARRAY_COUNT(skipped); i++) {
        if (is_word(word, skipped[i].word))
            return skip_element(log, skipped[i].words);
    }
    log->at = word.start;
    if (*log->start == ' ' && log_length_of(word) > 1 && take_number(log, 16, &digits)) {
        log->at = word.start;
        return read_trapped_pc(log);
    }
    return log_line_fail(log, word.start, "expected an element of RVVI-TEXT");
}

// --- The form ------------------------------------------------------------------------------------

// "HART 0 RET ...", "RET ...", "TRAP ...", with ISSUE and ORDER between.
static bool begins_instruction(const char *start, const char *end)
{
    struct log_line log = {.start = start, .at = start, .end = end};
    struct text_span pc, code;
    for (unsigned words = 0; words < 4; words++) {
        const struct text_span word = take_word(&log);
        if (is_word(word, "RET") || is_word(word, "TRAP"))
            return take_number(&log, 16, &pc) && take_number(&log, 16, &code);
        if (!is_word(word, "HART") && !is_word(word, "ISSUE") && !is_word(word, "ORDER"))
            return false;
        (void)take_word(&log);
    }
    return false;
}

static bool ends_in_record(const char *start, const char *end)
{
    static const char *const words[] = {"HART ", " RET ", " TRAP "};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        const char *at = memmem(start, (size_t)(end - start), words[i], strlen(words[i]));
        if (at && begins_instruction(at, end))
            return true;
    }
    return false;
}

// Whether a line begins with an element.
static bool is_line(const char *start, const char *end)
{
    static const char *const words[] = {"HART",    "RET",    "TRAP", "ISSUE", "ORDER", "VENDOR",
                                        "VERSION", "PARAMS", "NET",  "META",  "MEM",   "MODE",
                                        "DM",      "X",      "F",    "V",     "C",     "\\"};
    struct log_line log = {.start = start, .at = start, .end = end};
    const struct text_span word = take_word(&log);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (is_word(word, words[i]))
            return true;
    }
    return false;
}

bool rvvi_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns)
{
    struct log_line log;
    const bool goes_on = context->address_column == LINE_GOES_ON;
    log_line_begin(&log, start, end, how, context, line, fault, columns);
    if (!goes_on)
        columns->type = start;
    if (!goes_on && !is_line(start, end) ? !log_read_other(&log, ends_in_record)
                                         : !read_record(&log)) {
        line->looks_like_instruction |= !goes_on && ends_in_record(start, end);
        return false;
    }
    columns->is_of_last = line->kind != LINE_INSTRUCTION && line->kind != LINE_EXCEPTION;
    context->address_column = columns->goes_on ? LINE_GOES_ON : LINE_NO_COLUMN;
    return true;
}

bool rvvi_is_record(const char *start, const char *end)
{
    return begins_instruction(start, end);
}

bool rvvi_begins_event(uint32_t dialect, const char *start, const char *end)
{
    (void)dialect;
    return begins_instruction(start, end);
}

struct text_span rvvi_value(struct text_span records, char file, unsigned number, bool is_before)
{
    struct log_line log = {.start = records.start, .at = records.start, .end = records.end};
    struct text_span value;
    uint64_t found;
    while (!is_before && skip_space(&log)) {
        const struct text_span word = take_word(&log);
        if (log_length_of(word) != 1 || (*word.start | 0x20) != file)
            continue;
        if (take_index(&log, &found) && found == number && take_number(&log, 16, &value))
            return value;
    }
    return (struct text_span){NULL, NULL};
}

uint32_t rvvi_width_of(const char *start, const char *end)
{
    struct log_line log = {.start = start, .at = start, .end = end};
    if (!is_word(take_word(&log), "PARAMS"))
        return 0;
    while (skip_space(&log)) {
        if (!is_word(take_word(&log), "XLEN"))
            continue;
        const struct text_span width = take_word(&log);
        return is_word(width, "32") ? RISCV_IS_32 : is_word(width, "64") ? RISCV_IS_64 : 0;
    }
    return 0;
}
