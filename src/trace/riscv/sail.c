#include "trace/riscv/sail.h"

#include "arch/riscv/registers.h"
#include "trace/riscv/log_line.h"

enum sail_line {
    SAIL_OTHER, // foreign text
    SAIL_INSTRUCTION,
    SAIL_MEMORY,
    SAIL_CSR,
    SAIL_REGISTER,
    SAIL_TRAP,    // "trapping from M to M to handle illegal-instruction"
    SAIL_SILENT,  // what the emulator says besides
    SAIL_DAMAGED, // begins like one of these
};

// The privilege in "[M]: 0x", which may be virtual. NULL: it is none; otherwise what follows "]: ".
static const char *skip_privilege(const char *at, const char *end, uint8_t *mode)
{
    const bool is_virtual = at < end && *at == 'V';
    at += is_virtual;
    if (at == end || (*at != 'U' && *at != 'S' && *at != 'M'))
        return NULL;
    *mode = *at == 'M' ? 3 : *at == 'S';
    return log_begins(at + 1, end, "]: 0x") ? at + strlen("M]: ") : NULL;
}

// The number of a register before " <- ". False: it is none.
static bool names_register(const char *at, const char *end, char *file, unsigned *number,
                           const char **behind)
{
    const char *word = at;
    while (at < end && *at != ' ' && at - word < 8)
        at++;
    *behind = at;
    const char *digits = word + 1;
    if (at - digits >= 1 && at - digits <= 2 && (*word == 'x' || *word == 'f' || *word == 'v') &&
        log_skip_digits(digits, at) == at) {
        *file = *word;
        *number = (unsigned)(digits[0] - '0');
        if (at - digits == 2)
            *number = *number * 10 + (unsigned)(digits[1] - '0');
        return *number < 32;
    }
    *file = 'x';
    if (riscv_abi_x(word, (size_t)(at - word), number))
        return true;
    *file = 'f';
    return riscv_abi_f(word, (size_t)(at - word), number);
}

static enum sail_line line_of(const char *start, const char *end)
{
    static const char *const silent[] = {"handling ",
                                         "Handling ",
                                         "ret-ing ",
                                         "entering ",
                                         "remaining ",
                                         "forced exit ",
                                         "interrupt exit ",
                                         "reservation invalid ",
                                         "timed-out exit ",
                                         "PTW: ",
                                         "tick ",
                                         "htif",
                                         "clint",
                                         " clint ",
                                         "within_",
                                         "retiring ",
                                         "illegal ",
                                         "SUCCESS",
                                         "FAILURE",
                                         "ELF Entry",
                                         "Running file",
                                         "using ",
                                         "enabling ",
                                         "setting ",
                                         "RAM",
                                         "CSRs",
                                         "Entry point",
                                         "HTIF ",
                                         "tohost",
                                         "begin_signature",
                                         "end_signature",
                                         "Registered ",
                                         "elf",
                                         "(wrote ",
                                         "Reading ",
                                         "Writing "};
    char file;
    unsigned number;
    const char *behind;
    uint8_t mode;
    if (*start == '[') {
        const char *at = log_skip_digits(start + 1, end);
        if (at == start + 1 || !log_begins(at, end, "] ["))
            return SAIL_OTHER;
        return skip_privilege(at + 3, end, &mode) ? SAIL_INSTRUCTION : SAIL_DAMAGED;
    }
    if (log_begins(start, end, "mem["))
        return SAIL_MEMORY;
    if (log_begins(start, end, "CSR "))
        return SAIL_CSR;
    if (log_begins(start, end, "trapping from "))
        return SAIL_TRAP;
    if (names_register(start, end, &file, &number, &behind) && log_begins(behind, end, " <-"))
        return SAIL_REGISTER;
    for (size_t i = 0; i < ARRAY_COUNT(silent); i++) {
        if (log_begins(start, end, silent[i]))
            return SAIL_SILENT;
    }
    return SAIL_OTHER;
}

// --- Records -------------------------------------------------------------------------------------

// "[20] [M]: 0x000000008000067E (0xF406) c.sdsp ra, 0x5".
static bool read_instruction(struct log_line *log)
{
    struct line_instruction *instruction = &log->line->instruction;
    struct line_columns *columns = log->columns;
    struct text_span *pc = &columns->address, *code = &columns->encoding;
    const char *digits = log->start + 1;
    uint8_t mode = 0;
    log_begin_instruction(log, instruction);
    log->at = log_skip_digits(digits, log->end);
    if (log->at - digits <= 16)
        columns->counter = (struct text_span){digits, log->at};
    else
        columns->is_particular = true;
    log->at = skip_privilege(log->at + strlen("] ["), log->end, &mode);
    instruction->bank = (enum sp_bank)(MODE_SHARED + mode);
    if (!log_take_hex(log, pc) || (log_length_of(*pc) != 8 && log_length_of(*pc) != 16))
        return log_line_fail(log, log->at, "expected a PC of 8 or 16 digits");
    if (!log_begins(log->at, log->end, " ("))
        return log_line_fail(log, log->at, "expected the code of an instruction");
    log->at += 2;
    if (!log_take_hex(log, code) || (log_length_of(*code) != 8 && log_length_of(*code) != 4) ||
        log->at == log->end || *log->at != ')')
        return log_line_fail(log, log->at, "expected the code of an instruction");
    log->at++;
    if (log->end - log->at < 2 || *log->at != ' ')
        return log_line_fail(log, log->at, "expected the text of an instruction");
    instruction->address = log_number_of(*pc);
    instruction->isa = (enum isa_state)(
        log_length_of(*pc) == 8 || (log->how->dialect & RISCV_IS_32) ? RISCV_32 : RISCV_64);
    instruction->encoding = (uint32_t)log_number_of(*code);
    instruction->size_bytes = (uint32_t)log_length_of(*code) / 2;
    log_sum_up(log, instruction);
    instruction->disassembly = log->at + 1;
    columns->type = pc->end - 1; // the codes behind it have 4 or 8 digits
    columns->read_end = instruction->disassembly + 1;
    return true;
}

// "mem[W,0x00000080009AF8] <- 0x000000008000003A"; without R or W in old versions.
static bool read_memory(struct log_line *log)
{
    struct line_memory *memory = &log->line->memory;
    struct text_span *address = &log->columns->address, value;
    log->at = log->start + strlen("mem[");
    if (log->at < log->end && *log->at == 'X') { // a fetch
        log->line->kind = LINE_NOTHING;
        log->columns->read_end = log->at + 1;
        return true;
    }
    while (log->at < log->end && *log->at != '0' && *log->at != ']')
        log->at++;
    if (!log_take_hex(log, address) || log_length_of(*address) > 16 ||
        !log_begins(log->at, log->end, "] "))
        return log_line_fail(log, log->at, "expected an address");
    log->at += strlen("] ");
    const bool is_read = log_begins(log->at, log->end, "-> ");
    if (!is_read && !log_begins(log->at, log->end, "<- "))
        return log_line_fail(log, log->at, "expected an arrow");
    log->at += strlen("-> ");
    if (!log_take_hex(log, &value) || log_length_of(value) % 2 || log_length_of(value) > 32)
        return log_line_fail(log, log->at, "expected a value of whole bytes");
    *memory = (struct line_memory){
        .address = log_number_of(*address),
        .is_read = is_read,
        .is_known = true,
        .size_bytes = (uint32_t)log_length_of(value) / 2,
        .value = value,
        .second = {value.end, value.end},
    };
    log->line->kind = LINE_MEMORY;
    log->columns->is_of_last = true;
    log->columns->read_end = log->at;
    return log->at == log->end || log_line_fail(log, log->at, "expected the end of the line");
}

// "CSR mtvec (0x305) <- 0x0000000080000050"; old versions: without the number, and with what was to
// be written behind it.
static bool read_csr(struct log_line *log)
{
    struct text_span name = {log->start + strlen("CSR "), NULL}, value;
    const char *at = name.start;
    while (at < log->end && *at != ' ')
        at++;
    name.end = at;
    const char *arrow = memmem(at, (size_t)(log->end - at), " <- ", 4);
    if (!arrow && memmem(at, (size_t)(log->end - at), " -> ", 4)) // it is read
        return log_set_nothing(log);
    log->at = arrow ? arrow + 4 : at;
    if (name.start == name.end || !log_take_hex(log, &value) || log_length_of(value) > 16 ||
        log_length_of(value) % 2)
        return log_line_fail(log, log->at, "expected the value of a control and status register");
    if (log->at < log->end && *log->at != ' ')
        return log_line_fail(log, log->at, "expected a blank after a number");
    log->columns->is_of_last = true;
    log->columns->read_end = log->at + (log->at < log->end);
    return log_set_named(log, name, value);
}

// "x15 <- 0x0000000000000001".
static bool read_register(struct log_line *log)
{
    char file;
    unsigned number;
    struct text_span value;
    const char *behind;
    (void)names_register(log->start, log->end, &file, &number, &behind);
    log->at = behind + strlen(" <-");
    if (log->at < log->end)
        log->at++;
    if (!log_take_hex(log, &value) || log->at != log->end)
        return log_line_fail(log, log->at, "expected the value of a register");
    log->columns->is_of_last = true;
    log->columns->read_end = log->at;
    return file == 'x'   ? log_set_x(log, number, value)
           : file == 'f' ? log_set_f(log, number, value)
                         : log_set_v(log, number, value);
}

// The exception is named by what it is handled for, the last word.
static bool read_trap(struct log_line *log)
{
    const char *name = log->end;
    while (name > log->start && name[-1] != ' ')
        name--;
    log->line->kind = LINE_EXCEPTION;
    log->columns->others[0] = (struct text_span){name, log->end};
    log->columns->is_particular = true; // rare, and each with its name
    log->columns->read_end = log->end;
    return true;
}

// Whether the end of a line is an instruction, behind text without a line end.
static bool ends_in_record(const char *start, const char *end)
{
    const char *at = start;
    uint8_t mode;
    while ((at = memmem(at, (size_t)(end - at), "] [", 3))) {
        at += 3;
        if (skip_privilege(at, end, &mode))
            return true;
    }
    return false;
}

static bool read_line(struct log_line *log)
{
    if (log->start == log->end)
        return log_set_nothing(log);
    log->columns->type = log->start;
    switch (line_of(log->start, log->end)) {
    case SAIL_INSTRUCTION:
        return read_instruction(log);
    case SAIL_MEMORY:
        return read_memory(log);
    case SAIL_CSR:
        return read_csr(log);
    case SAIL_REGISTER:
        return read_register(log);
    case SAIL_TRAP:
        return read_trap(log);
    case SAIL_SILENT:
        return log_set_nothing(log);
    case SAIL_DAMAGED:
        log->line->looks_like_instruction = true;
        return log_line_fail(log, log->start, "expected an instruction");
    case SAIL_OTHER:
        return log_read_other(log, ends_in_record);
    }
    return false;
}

bool sail_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns)
{
    struct log_line log;
    log_line_begin(&log, start, end, how, context, line, fault, columns);
    if (!read_line(&log))
        return false;
    context->address_column = LINE_NO_COLUMN;
    return true;
}

// Asked of the first lines of every trace, so most others are told by one character.
bool sail_is_record(const char *start, const char *end)
{
    if (start == end)
        return false;
    const char *at = start;
    while (at < end && at - start < 5 && *at != ' ')
        at++;
    const bool may_be = log_begins(at, end, " <-") || *start == '[' || *start == 'm' ||
                        *start == 'C' || *start == 't';
    const enum sail_line kind = may_be ? line_of(start, end) : SAIL_OTHER;
    return kind != SAIL_OTHER && kind != SAIL_SILENT && kind != SAIL_DAMAGED;
}

bool sail_begins_event(uint32_t dialect, const char *start, const char *end)
{
    (void)dialect;
    return start < end && line_of(start, end) == SAIL_INSTRUCTION;
}
