#include "trace/riscv/ibex.h"

#include "arch/riscv/registers.h"
#include "trace/riscv/log_line.h"

// The columns of the text in the older form, and of what CV32E40P writes before it since 2023:
// blanks, or "(C)" where the instruction was cancelled.
enum { TEXT_COLUMNS_OF_OLD = 36, CONTEXT_COLUMNS = 3 };

// Where the columns of a line are.
struct ibex_line {
    struct text_span time, cycle, hart, pc, code;
    const char *hart_at; // where a merge inserts the hart
    const char *text;
    bool is_old; // separated by blanks
};

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *skip_hex(const char *at, const char *end)
{
    while (at < end && (line_char_classes[(uint8_t)*at] & CHAR_HEX))
        at++;
    return at;
}

// A number with the unit in which the simulator writes it: "22", "22000", "22.5ns", "22 ns".
static const char *skip_time(const char *at, const char *end)
{
    static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
    at = log_skip_digits(at, end);
    if (at < end && *at == '.')
        at = log_skip_digits(at + 1, end);
    const char *unit = at + (at < end && *at == ' ');
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (log_begins(unit, end, units[i]))
            return unit + strlen(units[i]);
    }
    return at;
}

// Reads the columns of an instruction. False: the line is none, or one that was cut, which has at
// least a cycle.
static bool find_columns(const char *start, const char *end, struct ibex_line *found)
{
    const char *at = skip_space(start, end);
    *found = (struct ibex_line){.time = {at, at}};
    if (at == end || !is_digit(*at))
        return false;
    found->time.end = skip_time(at, end);
    at = skip_space(found->time.end, end);
    if (at == found->time.end)
        return false;
    found->cycle = (struct text_span){at, log_skip_digits(at, end)};
    const char *behind = found->cycle.end;
    found->hart_at = at = skip_space(behind, end);
    if (found->cycle.start == behind || at == behind)
        return false;
    found->is_old = *behind == ' ';
    const char *named = log_skip_hart(at, end, &found->hart);
    if (named)
        at = named;
    found->pc = (struct text_span){at, skip_hex(at, end)};
    behind = found->pc.end;
    at = skip_space(behind, end);
    if (log_length_of(found->pc) != 8 || at == behind)
        return false;
    found->code = (struct text_span){at, skip_hex(at, end)};
    const size_t digits = log_length_of(found->code);
    if (digits != 4 && digits != 8)
        return false;
    found->text = found->code.end + (found->code.end < end);
    if (found->is_old && // in which no text begins with a blank
        (log_begins(found->text, end, "    ") || log_begins(found->text, end, "(C) ")))
        found->text += CONTEXT_COLUMNS + 1;
    return found->code.end == end || *found->code.end == ' ' || *found->code.end == '\t';
}

// --- Registers and accesses ----------------------------------------------------------------------

// "x14:0x8000058c", "  ra=800001e4": a register at this place, which is what it is called, and
// whether it is written.
struct ibex_register {
    char file;
    unsigned number;
    bool is_written;
    struct text_span value; // with x where a digit is not known
    struct text_span rest;  // of a capability: digits of what is not its address
};

// "+0x000000000": the rest of a capability, which CHERIoT versions of Ibex write behind its address
// even where none is used. Its digits, or none.
static struct text_span find_rest_of_capability(const char *at, const char *end)
{
    const char *digits = at + strlen("+0x");
    if (!log_begins(at, end, "+0x"))
        return (struct text_span){at, at};
    return (struct text_span){digits, skip_hex(digits, end)};
}

static bool is_value_digit(char c)
{
    return (line_char_classes[(uint8_t)c] & CHAR_HEX) || line_digit_is_unknown(c);
}

static bool find_register(const char *at, const char *end, struct ibex_register *found,
                          const char **behind)
{
    const char *name = at;
    while (at < end && at - name < 5 && *at != '=' && *at != ':' && *at != ' ' && *at != '\t')
        at++;
    if (at == end || (*at != '=' && *at != ':') || at == name)
        return false;
    const size_t length = (size_t)(at - name);
    found->file = *name;
    found->number = 0;
    for (const char *digit = name + 1; digit < at && digit - name < 3; digit++)
        found->number = found->number * 10 + (unsigned)(*digit - '0');
    const bool is_plain = (*name == 'x' || *name == 'f') && length > 1 && length < 4 &&
                          log_skip_digits(name + 1, at) == at;
    if (!is_plain) {
        const bool is_x = riscv_abi_x(name, length, &found->number);
        found->file = is_x ? 'x' : 'f';
        if (!is_x && !riscv_abi_f(name, length, &found->number))
            return false;
    }
    found->is_written = *at++ == '=';
    if (log_begins(at, end, "0x"))
        at += 2;
    found->value.start = at;
    while (at < end && is_value_digit(*at))
        at++;
    found->value.end = at;
    found->rest = find_rest_of_capability(at, end);
    *behind = found->rest.end;
    return found->number < 32 && log_length_of(found->value) == 8;
}

static bool read_register(struct log_line *log)
{
    struct ibex_register found;
    struct line_register *reg = &log->line->reg;
    if (!find_register(log->at, log->end, &found, &log->at))
        return log_line_fail(log, log->at, "expected the value of a register");
    log->line->kind = LINE_NOTHING;
    log->columns->others[log->columns->other_count++] = found.rest;
    if (!found.is_written) {
        for (const char *at = found.value.start; at < found.value.end; at++)
            log->columns->is_particular |= line_digit_is_unknown(*at) != 0;
        log->columns->others[log->columns->other_count++] = found.value;
    } else if (found.file == 'f' ? !log_set_f(log, found.number, found.value)
                                 : !log_set_x(log, found.number, found.value)) {
        return false;
    }
    if (log->line->kind == LINE_REGISTER) {
        for (const char *at = found.value.start; at < found.value.end; at++)
            reg->has_unknown |= line_digit_is_unknown(*at);
        reg->is_plain = !reg->has_unknown;
        log->columns->is_particular |= reg->has_unknown;
    } else if (found.is_written) { // x0
        log->columns->is_particular = true;
    }
    return log_line_end_record(log);
}

// "PA:0x80000590".
static bool read_address(struct log_line *log)
{
    struct text_span *address = &log->columns->address;
    log->at += strlen("PA:");
    if (log_begins(log->at, log->end, "0x"))
        log->at += 2;
    if (log->at < log->end && line_digit_is_unknown(*log->at)) { // of an access that was left
        log->at = log->end;
        return log_set_nothing(log);
    }
    if (!log_take_digits(log, address) || log_length_of(*address) != 8)
        return log_line_fail(log, log->at, "expected an address");
    log->line->memory = (struct line_memory){
        .address = log_number_of(*address),
        .is_read = true,
        .is_bare = true,
        .value = {log->at, log->at},
        .second = {log->at, log->at},
    };
    log->line->kind = LINE_MEMORY;
    return log_line_end_record(log);
}

// "store:0x00000001" is of the bus, of which "0x??????27" stores one byte; "expand_insn:" and what
// Zcmp stands for runs to the end.
static bool skip_bus(struct log_line *log)
{
    const char *at = memchr(log->at, ':', (size_t)(log->end - log->at));
    log->line->kind = LINE_NOTHING;
    at = at ? at + 1 : log->end;
    if (log_begins(at, log->end, "0x"))
        at += 2;
    const char *from = at;
    while (at < log->end && *at == '?')
        at++;
    log->columns->others[0].start = at;
    while (at < log->end && is_value_digit(*at)) {
        log->columns->is_particular |= line_digit_is_unknown(*at) != 0;
        at++;
    }
    log->columns->others[0].end = at;
    log->columns->others[1] = find_rest_of_capability(at, log->end);
    log->columns->other_count = 2;
    log->at = log->columns->others[1].end;
    if (log->at - from > 32)
        log->columns->is_particular = true;
    return log_line_end_record(log);
}

// The cycle and time at which CV32E40P ended a division or square root of floats.
static bool is_end_of_long_instruction(const char *at, const char *end)
{
    const char *behind = log_skip_digits(at, end), *time = skip_space(behind, end);
    return behind > at && time > behind && skip_time(time, end) > time &&
           skip_space(skip_time(time, end), end) == end;
}

static bool read_rest(struct log_line *log)
{
    log->at = skip_space(log->at, log->end);
    if (log->at == log->end) {
        log->line->kind = LINE_NOTHING;
        return log_line_end_record(log);
    }
    if (log_begins(log->at, log->end, "PA:"))
        return read_address(log);
    if (log_begins(log->at, log->end, "store:") || log_begins(log->at, log->end, "load:"))
        return skip_bus(log);
    if (log_begins(log->at, log->end, "expand_insn") ||
        is_end_of_long_instruction(log->at, log->end))
        return log_set_nothing(log);
    return read_register(log);
}

// --- Instructions --------------------------------------------------------------------------------

// Where the text of the older form ends: behind its columns, or, if it is longer, before the first
// register or address.
static const char *end_of_old_text(const char *text, const char *end)
{
    struct ibex_register found;
    const char *at = text + TEXT_COLUMNS_OF_OLD, *behind;
    if (end - text <= TEXT_COLUMNS_OF_OLD)
        return end;
    if (*at == ' ')
        return at;
    for (at = text; at < end; at++) {
        if (*at == ' ' &&
            (find_register(at + 1, end, &found, &behind) || log_begins(at + 1, end, "PA:")))
            return at;
    }
    return end;
}

// Where the text of the newer form ends: at the tab before the registers, or that which ends the
// line. Where something has replaced tabs, before the first register.
static const char *end_of_text(const char *text, const char *end)
{
    for (const char *at = text; at < end; at++) {
        if (*at == '\t' && (at + 1 == end || at[1] == ' ' || at[1] == '\r'))
            return at;
    }
    return end;
}

static bool read_instruction(struct log_line *log, const struct ibex_line *found)
{
    struct line_instruction *instruction = &log->line->instruction;
    struct line_columns *columns = log->columns;
    const char *text = found->text;
    log_begin_instruction(log, instruction);
    if (text >= log->end)
        return log_line_fail(log, log->end, "expected the text of an instruction");
    columns->counter =
        (struct text_span){found->time.start, log_skip_digits(found->time.start, found->time.end)};
    if (columns->counter.end < found->time.end && *columns->counter.end == '.')
        columns->is_particular = true;
    columns->time = found->cycle;
    columns->time_scale = 1;
    log->at = found->cycle.start;
    uint64_t time;
    if (!log_take_decimal(log, 18, &time))
        return log_line_fail(log, found->cycle.start, "expected a cycle");
    log->line->time = time;
    if (found->hart.start) {
        log->line->cpu = found->hart.start;
        log->line->cpu_length = (uint32_t)log_length_of(found->hart);
    }
    columns->address = found->pc;
    columns->encoding = found->code;
    instruction->address = log_number_of(found->pc);
    instruction->encoding = (uint32_t)log_number_of(found->code);
    instruction->isa = (enum isa_state)RISCV_32;
    const bool is_compressed = log_begins(text, log->end, "c.");
    instruction->size_bytes = log_length_of(found->code) == 4 || is_compressed ? 2 : 4;
    instruction->disassembly = text;
    log_sum_up(log, instruction);
    const char *text_end =
        found->is_old ? end_of_old_text(text, log->end) : end_of_text(text, log->end);
    columns->text = (struct text_span){text, text_end};
    columns->text_ends_at_tab = !found->is_old;
    // With the code of what it stands for, the text alone tells its size.
    columns->text_tells_size = log_length_of(found->code) == 8;
    columns->read_end = text_end;
    columns->goes_on = text_end < log->end;
    // A text with a small letter or a dot as its second character does not begin with a context.
    if (found->is_old && text == found->code.end + 1)
        columns->is_particular |= !columns->text_tells_size || text_end - text < 2 ||
                                  !(is_small(text[1]) || text[1] == '.');
    // Lines whose text ends elsewhere than by the rule of their form are read one by one.
    columns->is_particular |= found->is_old
                                  ? columns->goes_on && text_end - text != TEXT_COLUMNS_OF_OLD
                                  : !columns->goes_on || text_end - text < 2;
    return true;
}

// Whether the end of a line is an instruction behind text without a line end: its time, which would
// have blanks before it, is found by going back from its PC.
static bool ends_in_record(const char *start, const char *end)
{
    struct ibex_line found;
    for (const char *at = start; at < end; at++) {
        const bool is_begin =
            (*at == ' ' || *at == '\t') && (at == start || (at[-1] != ' ' && at[-1] != '\t'));
        if (is_begin && find_columns(at, end, &found))
            return true;
    }
    return false;
}

static bool is_header(const char *start, const char *end)
{
    return log_begins(skip_space(start, end), end, "Time") &&
           memmem(start, (size_t)(end - start), "Cycle", 5);
}

bool ibex_study(const char *start, const char *end, const struct reading_options *how,
                struct line_context *context, struct trace_line *line, struct text_fault *fault,
                struct line_columns *columns)
{
    struct log_line log;
    struct ibex_line found;
    bool is_read;
    log_line_begin(&log, start, end, how, context, line, fault, columns);
    if (context->address_column == LINE_GOES_ON) {
        is_read = read_rest(&log);
    } else {
        columns->type = start;
        const bool is_whole = find_columns(start, end, &found);
        const bool is_cut = !is_whole && found.cycle.end &&
                            (found.cycle.end == end || found.pc.end == end ||
                             (found.code.start && found.code.end == end));
        line->looks_like_instruction = is_cut;
        is_read = is_whole ? read_instruction(&log, &found)
                  : is_cut ? log_line_fail(&log, end, "expected the rest of an instruction")
                  : is_header(start, end) ? log_set_nothing(&log)
                                          : log_read_other(&log, ends_in_record);
    }
    if (!is_read)
        return false;
    context->time = line->time;
    context->address_column = columns->goes_on ? LINE_GOES_ON : LINE_NO_COLUMN;
    return true;
}

// --- The form ------------------------------------------------------------------------------------

bool ibex_is_record(const char *start, const char *end)
{
    struct ibex_line found;
    return find_columns(start, end, &found);
}

bool ibex_begins_event(uint32_t dialect, const char *start, const char *end)
{
    (void)dialect;
    return ibex_is_record(start, end);
}

struct text_span ibex_value(struct text_span records, char file, unsigned number, bool is_before)
{
    static const char zeros[] = "00000000";
    struct ibex_register found;
    const char *behind;
    for (const char *at = records.start; at < records.end; at++) {
        if (*at != ' ' || !find_register(at + 1, records.end, &found, &behind))
            continue;
        bool is_known =
            found.file == file && found.number == number && found.is_written == !is_before;
        for (const char *digit = found.value.start; digit < found.value.end; digit++)
            is_known &= !line_digit_is_unknown(*digit);
        if (is_known)
            return found.value;
        at = behind - 1;
    }
    if (is_before && file == 'x' && number == 0) // of which some versions say nothing
        return (struct text_span){zeros, zeros + strlen(zeros)};
    return (struct text_span){NULL, NULL};
}

struct line_stamp ibex_line_stamp(const char *start, const char *end,
                                  const struct line_prefix *prefix)
{
    struct ibex_line found;
    struct line_stamp stamp = {0};
    (void)prefix;
    if (!find_columns(start, end, &found))
        return stamp;
    stamp.has_time = true;
    for (const char *at = found.cycle.start; at < found.cycle.end; at++)
        stamp.time = stamp.time * 10 + (uint64_t)(*at - '0');
    stamp.name_at = (size_t)(found.hart_at - start);
    if (found.hart.start)
        stamp.name_length = (size_t)(found.pc.start - 1 - found.hart_at);
    return stamp;
}
