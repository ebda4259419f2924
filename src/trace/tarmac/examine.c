// What is in a trace, for a report on whether it can be used: counts of each kind of line, and what
// is missing or odd.
//
// Lines are read one by one, on one thread, by the plain reader of lines and not by a pass, so that
// each line that is not understood is seen with its reason. It needs no memory but the names of
// cores and registers.
#include "base/limits.h"
#include "base/stable_table.h"
#include "flow/register_names.h"
#include "trace/lines/lane_table.h"
#include "trace/tarmac/line_read.h"
#include "trace/tarmac/tarmac.h"
#include "trace/tarmac/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Samples -------------------------------------------------------------------------------------

// In a file, places of 4 KiB, with some 40 lines each; in a pipe, the same amount.
enum { PLACE_BYTES = 4096, PLACE_INSTRUCTIONS = 64 };

struct sampler {
    const struct reading_options *how;
    struct trace_instruction *instructions;
    size_t count, capacity;
    uint16_t place;
};

static void take_instruction(struct sampler *sampler, const char *start, const char *end)
{
    struct line_context context = LINE_CONTEXT_START;
    struct trace_line line;
    struct text_fault fault;
    if (!tarmac_line_read(start, line_trim(start, end), sampler->how, &context, &line, &fault) ||
        line.kind != LINE_INSTRUCTION)
        return;
    const struct line_instruction *read = &line.instruction;
    bool is_shown = read->size_bytes && read->encoding; // zeros represent unknown encodings
    if (!is_shown || !read->fetched || sampler->count == sampler->capacity)
        return;
    struct trace_instruction *taken = &sampler->instructions[sampler->count++];
    *taken = (struct trace_instruction){.address = read->address,
                                        .encoding = read->encoding,
                                        .size_bytes = (uint8_t)u64_min(read->size_bytes, 4),
                                        .place = sampler->place};
    if (line.cpu)
        memcpy(taken->lane, line.cpu, u64_min(line.cpu_length, LIMIT_LANE_NAME_BYTES));
}

// Processes the lines that begin and end in the text. Unless `is_start`, the text begins inside a
// line.
static void take_text(struct sampler *sampler, const char *text, size_t size_bytes, bool is_start)
{
    const char *end = text + size_bytes;
    const uint16_t first_place = sampler->place;
    const char *at = is_start ? text : memchr(text, '\n', size_bytes);
    for (at = at && !is_start ? at + 1 : at; at && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return;
        sampler->place = (uint16_t)(first_place + (at - text) / PLACE_BYTES);
        take_instruction(sampler, at, newline);
        at = newline + 1;
    }
}

size_t tarmac_sample(struct source *source, const struct reading_options *how,
                     struct trace_instruction *instructions, size_t capacity)
{
    struct sampler sampler = {how, instructions, 0, capacity, 0};
    const size_t places = capacity / PLACE_INSTRUCTIONS;
    const char *bytes = source_bytes(source);
    if (bytes) {
        uint64_t size_bytes = source_size_bytes(source);
        uint64_t step = u64_max(size_bytes / places, PLACE_BYTES);
        for (uint64_t at = 0; at < size_bytes; at += step, sampler.place++)
            take_text(&sampler, bytes + at, (size_t)u64_min(PLACE_BYTES, size_bytes - at), at == 0);
    } else { // of a pipe, its beginning
        char *text = malloc(places * PLACE_BYTES);
        size_t have;
        if (text && source_peek(source, text, places * PLACE_BYTES, &have, NULL) == STATUS_OK)
            take_text(&sampler, text, have, true);
        free(text);
    }
    return sampler.count;
}

// Something that looks wrong: how often it occurs, and its first line.
struct oddity {
    uint64_t count, line;
};

// One core.
struct core {
    char name[LIMIT_LANE_NAME_BYTES + 1];
    uint64_t lines, time;
};

struct examiner {
    struct examination *examination;
    struct reading_options how;
    struct line_context context;
    struct stable_table core_room;
    struct core *cores; // in core_room
    size_t core_count;
    struct lane_table core_table;
    struct core *core; // of the previous line
    uint64_t instructions, encodings, registers, stack_pointers, link_registers;
    uint64_t accesses, drawings, exceptions, timed_lines, by_set[3];
    uint64_t first_time, last_time;
    struct oddity falls;
    struct register_names names; // of registers other than those that every core has
    struct oddity refused;       // writes of names beyond the limit
};

static void note(struct oddity *oddity, uint64_t line)
{
    if (!oddity->count++)
        oddity->line = line;
}

// --- Cores ---------------------------------------------------------------------------------------

static struct core *find_core(struct examiner *examiner, const struct trace_line *line)
{
    size_t length = (size_t)u64_min(line->cpu_length, LIMIT_LANE_NAME_BYTES);
    if (!line->cpu && examiner->core)
        return examiner->core;
    const struct lane_items items = {examiner->cores, sizeof *examiner->cores,
                                     examiner->core_count};
    size_t found = lane_table_find(&examiner->core_table, &items, line->cpu, length);
    if (found != SIZE_MAX)
        return &examiner->cores[found];
    if (examiner->core_count == LIMIT_LANES)
        return examiner->core;
    if (!stable_table_room(&examiner->core_room, examiner->core_count + 1)) {
        examiner->examination->has_no_memory = true;
        return examiner->core;
    }
    struct core *core = &examiner->cores[examiner->core_count++];
    if (length)
        memcpy(core->name, line->cpu, length);
    return core;
}

// --- Lines that are understood -------------------------------------------------------------------

static void take_name(struct examiner *examiner, const struct line_register *reg)
{
    if (!reg->spelled_length)
        return;
    if (register_names_find(&examiner->names, reg->spelled, reg->spelled_length) !=
        NO_REGISTER_NAME)
        return;
    if (examiner->names.items.count == LIMIT_NAMED_REGISTERS)
        note(&examiner->refused, examiner->examination->lines);
    else if (register_names_add(&examiner->names, reg->spelled, reg->spelled_length) ==
             NO_REGISTER_NAME)
        examiner->examination->has_no_memory = true;
}

static void take_understood(struct examiner *examiner, const struct trace_line *line)
{
    struct core *core = examiner->core = find_core(examiner, line);
    core->lines++;
    if (line->time) {
        if (line->time < core->time)
            note(&examiner->falls, examiner->examination->lines);
        core->time = line->time;
        if (!examiner->timed_lines++)
            examiner->first_time = line->time;
        examiner->last_time = u64_max(examiner->last_time, line->time);
    }
    const struct register_name *name = &line->reg.name;
    switch (line->kind) {
    case LINE_INSTRUCTION:
        examiner->instructions++;
        examiner->encodings += line->instruction.encoding != 0; // 0: unknown
        examiner->by_set[line->instruction.isa]++;
        break;
    case LINE_REGISTER:
        examiner->registers++;
        // Only of AArch32: x13 and w13 are not a stack pointer.
        bool is_short = name->size_bytes == 4 && !name->is_w;
        examiner->stack_pointers += (is_short && name->offset == REGISTER_OFFSET_X(13)) ||
                                    name->offset == REGISTER_OFFSET_XSP;
        examiner->link_registers += (is_short && name->offset == REGISTER_OFFSET_X(14)) ||
                                    name->offset == REGISTER_OFFSET_X(30);
        break;
    case LINE_MEMORY:
        examiner->accesses++;
        break;
    case LINE_DIAGRAM:
        examiner->drawings++;
        break;
    case LINE_EXCEPTION:
        examiner->exceptions++;
        break;
    case LINE_NAMED_REGISTER:
        take_name(examiner, &line->reg);
        break;
    case LINE_NOTHING:
    case LINE_TEXT:
        break;
    }
}

// --- All lines -----------------------------------------------------------------------------------

// Counts in a finer unit from now on. False: the times so far do not fit.
static bool refine_unit(struct examiner *examiner, int exponent)
{
    int *now = &examiner->how.scale.unit.exponent;
    uint64_t power = power_of_ten(*now - exponent);
    uint64_t most = u64_max(examiner->last_time, examiner->context.time);
    if (!power || __builtin_mul_overflow(most, power, &most))
        return false; // only if times go back by far
    *now = exponent;
    examiner->first_time *= power;
    examiner->last_time *= power;
    examiner->context.time *= power;
    for (size_t i = 0; i < examiner->core_count; i++)
        examiner->cores[i].time *= power;
    return true;
}

static void take_line(void *self, const char *start, const char *end)
{
    struct examiner *examiner = self;
    const struct line_context before = examiner->context;
    struct trace_line line;
    struct text_fault fault;
    end = line_trim(start, end);
    const char *word = start;
    while (word < end && (line_char_classes[(uint8_t)*word] & CHAR_SPACE))
        word++;
    if (word == end) {
        examiner->examination->blank_lines++;
        return;
    }
    bool is_read = tarmac_line_read(start, end, &examiner->how, &examiner->context, &line, &fault);
    if (is_read && line.time_doubt == TIME_IS_FINER) {
        const struct line_context after = examiner->context;
        examiner->context = before;
        if (refine_unit(examiner, line.time_exponent))
            tarmac_line_read(start, end, &examiner->how, &examiner->context, &line, &fault);
        else
            examiner->context = after;
    }
    if (is_read && line.note != NOTE_UNKNOWN_EVENT) {
        take_understood(examiner, &line);
        return;
    }
    examination_line(examiner->examination, start, (size_t)(end - start),
                     is_read ? "an unknown record" : fault.text);
}

// --- What there is to say ------------------------------------------------------------------------

static const char *producer_of(const struct examiner *examiner,
                               const struct tarmac_dialect *dialect)
{
    if (!examiner->timed_lines)
        return dialect->implicit_state == STATE_BY_SIZE
                   ? "as ARMulator writes it: no times, no instruction-set state"
                   : "without times";
    if (examiner->drawings)
        return "as RTL and cycle models write it: ES, LD and ST";
    if (dialect->implicit_state == STATE_IS_THUMB)
        return "as RTL of the M profile writes it: no instruction-set state";
    return dialect->scale.unit.base == TIME_SECONDS
               ? "IT records, wall-clock times"
               : "as Fast Models and gem5 write it: IT records, times in ticks";
}

static void report_facts(const struct examiner *examiner, const struct tarmac_dialect *dialect)
{
    struct examination *to = examiner->examination;
    examination_fact(to, "dialect", "%s", producer_of(examiner, dialect));
    examination_line_facts(to);
    examination_fact(to, "instructions",
                     "%" PRIu64 " (A64 %" PRIu64 ", A32 %" PRIu64 ", T32 %" PRIu64 ")%s",
                     examiner->instructions, examiner->by_set[ISA_AARCH64],
                     examiner->by_set[ISA_ARM], examiner->by_set[ISA_THUMB],
                     dialect->implicit_state != STATE_IS_WRITTEN ? ", which is not written" : "");
    examination_fact(to, "registers", "%" PRIu64 " writes, of SP %" PRIu64 ", of LR %" PRIu64,
                     examiner->registers, examiner->stack_pointers, examiner->link_registers);
    examination_fact(to, "memory", "%" PRIu64 " accesses, of LD and ST %" PRIu64 "",
                     examiner->accesses + examiner->drawings, examiner->drawings);
    examination_fact(to, "exceptions", "%" PRIu64, examiner->exceptions);
    if (examiner->timed_lines)
        examination_fact(to, "times", "%" PRIu64 " to %" PRIu64, examiner->first_time,
                         examiner->last_time);
    char text[EXAMINED_TEXT_BYTES] = "";
    size_t length = 0;
    for (size_t i = 0; i < examiner->core_count && length < sizeof text - 1; i++) {
        const struct core *core = &examiner->cores[i];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s (%" PRIu64 " lines)",
                                   i ? ", " : "", *core->name ? core->name : "without a name",
                                   core->lines);
    }
    if (examiner->core_count)
        examination_fact(to, "cores", "%zu: %s", examiner->core_count, text);
}

static void report_missing(const struct examiner *examiner)
{
    struct examination *to = examiner->examination;
    to->is_no_trace = !examiner->instructions && !examiner->registers && !examiner->accesses &&
                      !examiner->drawings && !examiner->exceptions;
    if (!to->lines)
        examination_finding(to, "give a trace", "the file is empty");
    else if (to->is_no_trace)
        examination_finding(to, "give a trace that trawl reads",
                            "no line is an instruction, a register or an access");
    else if (!examiner->instructions)
        examination_finding(to,
                            "configure the producer to write instructions (IT, ES); give a trace",
                            "there are no instructions: calls and visits cannot be reported");
    else if (!examiner->encodings && !examiner->link_registers)
        examination_finding(to, "configure the producer to write core registers, too",
                            "neither encodings of instructions nor LR (x30, r14) are written: "
                            "calls cannot be found");
    else if (!examiner->registers)
        examination_finding(to, "configure the producer to write core registers, too",
                            "no register is written: values are unknown, and calls are found by "
                            "the instructions alone");
    else if (!examiner->stack_pointers)
        examination_finding(to, "configure the producer to write all core registers",
                            "no line writes SP: recursive calls, and calls that are left by "
                            "exceptions or longjmp, cannot be distinguished");
    if (examiner->instructions && !examiner->accesses && !examiner->drawings)
        examination_finding(to,
                            "configure the producer to write loads and stores, if memory matters",
                            "there are no memory accesses: the contents of memory are unknown");
    if (examiner->instructions && !examiner->timed_lines)
        examination_finding(to, "nothing: use --lane-events and counts instead of times",
                            "no line has a time: durations are 0");
}

static void report_odd(const struct examiner *examiner)
{
    struct examination *to = examiner->examination;
    if (examiner->refused.count)
        examination_finding(
            to, "'state', 'writes' and waveforms lack them; configure the producer to write fewer",
            "more than %d registers are named: %" PRIu64
            " line%s write others, first line %" PRIu64,
            LIMIT_NAMED_REGISTERS, examiner->refused.count, plural(examiner->refused.count),
            examiner->refused.line);
    if (examiner->falls.count && !examiner->instructions) // those of instructions are doubts
        examination_finding(to,
                            "check whether two runs were joined; events have the same time until "
                            "the earlier time is reached again",
                            "times go back %" PRIu64 " time%s, first in line %" PRIu64,
                            examiner->falls.count, plural(examiner->falls.count),
                            examiner->falls.line);
    examination_line_findings(to);
}

enum status tarmac_examine(struct source *source, const struct reading_options *how,
                           const struct tarmac_dialect *dialect, struct progress *progress,
                           struct examination *examination, struct error *err)
{
    struct examiner examiner = {
        .examination = examination, .how = *how, .context = LINE_CONTEXT_START};
    if (!stable_table_begin(&examiner.core_room, sizeof(struct core), LIMIT_LANES) ||
        !stable_table_room(&examiner.core_room, 1)) {
        stable_table_free(&examiner.core_room);
        return error_set(err, STATUS_MEMORY, "no memory for the cores of the trace");
    }
    examiner.cores = examiner.core_room.items;
    enum status status = examination_read(examination, source, progress, take_line, &examiner, err);
    if (status == STATUS_OK) {
        report_facts(&examiner, dialect);
        report_missing(&examiner);
        report_odd(&examiner);
    }
    stable_table_free(&examiner.core_room);
    lane_table_free(&examiner.core_table);
    register_names_free(&examiner.names);
    if (status == STATUS_OK && examination->has_no_memory)
        status = error_set(err, STATUS_MEMORY, "no memory for the report");
    return status;
}
